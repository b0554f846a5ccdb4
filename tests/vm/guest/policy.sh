# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# policy-*.t: whether the kernel takes what `tiermem policy` sets, whether it comes back, and whether pages then move.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
scan=/sys/kernel/debug/sched/numa_balancing
files="/sys/kernel/mm/numa/demotion_enabled /proc/sys/kernel/numa_balancing
	/proc/sys/kernel/numa_balancing_promote_rate_limit_MBps /proc/sys/vm/zone_reclaim_mode
	/proc/sys/vm/watermark_scale_factor $scan/hot_threshold_ms $scan/scan_delay_ms $scan/scan_period_min_ms
	$scan/scan_period_max_ms $scan/scan_size_mb"

all_now()
{
	# shellcheck disable=SC2086
	cat $files | tr '\n' ' '
}

# takes FILE KEY VALUE READS: the value is set, and the file reads so
takes()
{
	exits 0 "set $2=$3" tiermem policy set "$2=$3"
	tap_is "$(cat "$1")" "$4" "$2=$3: what the file reads"
}

# refuses KEY=VALUE WORDS [CODE]: in our words, and all stays as it is
refuses()
{
	_before=$(all_now)
	exits "${3:-2}" "set $1 is refused" tiermem policy set demotion=on "$1"
	says "$1: the reason" "$2"
	tap_is "$(all_now)" "$_before" "$1: all is as it was"
}

counter()
{
	awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat
}

# demoted: however reclaim came about
demoted()
{
	awk '/^pgdemote_/ { sum += $2 } END { print sum }' /proc/vmstat
}

# node_kb NODE KEY: of its meminfo
node_kb()
{
	awk -v key="$2:" '$3 == key { print $4 }' "/sys/devices/system/node/node$1/meminfo"
}

# far PID: MiB in node 1, by `usage`
far()
{
	tiermem policy usage "$1" --json | awk '/"far_bytes"/ { gsub(/[^0-9]/, ""); print int($0 / 1048576); exit }'
}

more_than()
{
	if [ "$1" -gt "$2" ]; then
		tap_ok "$3"
	else
		tap_not_ok "$3"
		result "@tap #   got: $1, wanted more than $2"
	fi
}

# Called by wait_for.
# shellcheck disable=SC2317
promoted_since()
{
	[ "$(counter pgpromote_success)" -gt "$1" ]
}

# Machines with more tiers: only what the kernel made of them.
if [ "$(cat /vm/name)" != A ]; then
	emit_run show.json tiermem policy show --json
	emit_run usage.json tiermem policy usage --json
	exit 0
fi

before=$(all_now)
emit_run show.json tiermem policy show --json
exits 0 "show" tiermem policy show
tap_is "$(grep -c '^hot-threshold *1000 ms ' /tmp/out)" 1 "debugfs is mounted and read"
tap_is "$(grep '^demotion: ' /tmp/out)" "demotion: no" "demotion is off"
emit_run dry-run.json tiermem policy set demotion=on scan-size=128Mi --dry-run --json
tap_is "$(all_now)" "$before" "a dry run writes nothing"

# --- each documented value ---
for word in on true yes 1; do takes /sys/kernel/mm/numa/demotion_enabled demotion $word true; done
for word in off false no 0; do takes /sys/kernel/mm/numa/demotion_enabled demotion $word false; done
balancing=/proc/sys/kernel/numa_balancing
for pair in off:0 normal:1 tiering:2 both:3 0:0 1:1 2:2 3:3; do
	takes $balancing numa-balancing "${pair%:*}" "${pair#*:}"
done
limit=/proc/sys/kernel/numa_balancing_promote_rate_limit_MBps
for pair in 20G:19073 64Gi:65536 1Mi:1 1.5Gi:1536 16777215Mi:16777215; do
	takes $limit promote-rate-limit "${pair%:*}" "${pair#*:}"
done
for word in 0 1 4 7; do takes /proc/sys/vm/zone_reclaim_mode zone-reclaim-mode $word $word; done
takes /proc/sys/vm/zone_reclaim_mode zone-reclaim-mode clean 1
takes /proc/sys/vm/zone_reclaim_mode zone-reclaim-mode off 0
for word in 1 3000 10; do takes /proc/sys/vm/watermark_scale_factor watermark-scale-factor $word $word; done
takes $scan/hot_threshold_ms hot-threshold 500 500
takes $scan/hot_threshold_ms hot-threshold 1000 1000
takes $scan/scan_delay_ms scan-delay 0 0
takes $scan/scan_delay_ms scan-delay 1000 1000
takes $scan/scan_period_min_ms scan-period-min 100 100
takes $scan/scan_period_max_ms scan-period-max 100 100
takes $scan/scan_size_mb scan-size 1Gi 1024
takes $scan/scan_size_mb scan-size 16777215Mi 16777215
exits 0 "several at once" tiermem policy set scan-period-max=60000 scan-period-min=1000 scan-size=256Mi
tap_is "$(cat $scan/scan_period_min_ms $scan/scan_period_max_ms $scan/scan_size_mb | tr '\n' ' ')" "1000 60000 256 " \
	"several at once: all are so"
exits 0 "undo" tiermem undo
tap_is "$(cat $scan/scan_period_min_ms $scan/scan_period_max_ms $scan/scan_size_mb | tr '\n' ' ')" "100 100 16777215 " \
	"undo: all are as before"
tiermem policy set scan-period-max=60000 scan-period-min=1000 scan-size=256Mi promote-rate-limit=64Gi >/dev/null

# --- what the kernel would take, or refuse without a reason ---
refuses numa-balancing=4 'numa-balancing: .4. is no value for it'
refuses numa-balancing=tierng 'numa-balancing: .tierng.'
refuses promote-rate-limit=0 'promote-rate-limit: .0.'
refuses promote-rate-limit=16Ti 'promote-rate-limit: .16Ti.'
refuses scan-size=0 'scan-size: .0.'
refuses scan-size=16Ti 'scan-size: .16Ti.'
refuses scan-period-min=60001 'more than scan-period-max'
refuses scan-period-max=999 'more than scan-period-max'
refuses watermark-scale-factor=3001 'watermark-scale-factor: .3001.'
refuses watermark-scale-factor=0 'watermark-scale-factor: .0.'
refuses zone-reclaim-mode=8 'zone-reclaim-mode: .8.'
refuses demotion=maybe 'demotion: .maybe.'
refuses demotoin=on 'there is no such setting'
refuses demotion=off 'given twice'
umount /sys/kernel/debug
exits 3 "without debugfs" tiermem policy set scan-size=128Mi
says "without debugfs: the reason" 'this machine has no /sys/kernel/debug'
exits 0 "without debugfs: show" tiermem policy show
tap_is "$(grep -c 'debugfs is not mounted' /tmp/out)" 5 "without debugfs: show says so"
mount -t debugfs none /sys/kernel/debug
exits 1 "an ordinary user sets nothing" su -s /bin/sh nobody -c 'tiermem policy set demotion=on'
tap_is "$(su -s /bin/sh nobody -c 'tiermem policy show' | grep -c 'only root may look')" 5 \
	"an ordinary user is told why he does not see debugfs"

# --- presets ---
exits 0 "preset static" tiermem policy preset static
tap_is "$(cat /sys/kernel/mm/numa/demotion_enabled $balancing | tr '\n' ' ')" "false 0 " "preset static"
exits 0 "preset tiering" tiermem policy preset tiering
tap_is "$(cat /sys/kernel/mm/numa/demotion_enabled $balancing | tr '\n' ' ')" "true 2 " "preset tiering"
exits 0 "preset off" tiermem policy preset off
tap_is "$(cat /sys/kernel/mm/numa/demotion_enabled $balancing | tr '\n' ' ')" "false 1 " "preset off"
exits 0 "undo of it" tiermem undo
exits 0 "show" tiermem policy show
tap_is "$(grep '^demotion: \|^promotion: ' /tmp/out | tr '\n' ' ')" "promotion: yes demotion: yes " "both are at work"
emit_run tiering.json tiermem policy show --json

# --- pages move: what is cold makes room in node 0, and comes up again when it is used ---
# A process that slept is scanned no faster than once in the longest period, which is a minute of its running.
exits 0 "scanning often" tiermem policy set scan-size=1Gi scan-delay=0 scan-period-min=100 scan-period-max=500
free=$(($(node_kb 0 MemFree) / 1024))
mkfifo /tmp/in
down=$(demoted)
pressure $((free / 2)) $((free * 5 / 8)) </tmp/in >/tmp/pressure &
pid=$!
exec 3>/tmp/in
if wait_for 120 grep -q full /tmp/pressure; then
	tap_ok "memory of node 0 is short"
else
	tap_not_ok "memory of node 0 is short"
fi
more_than "$(demoted)" "$((down + 1000))" "pages were demoted"
more_than "$(far $pid)" 4 "usage: they lie in node 1"
emit_run usage-pid.json tiermem policy usage $pid --json
emit_run usage.json tiermem policy usage --json
exits 0 "usage of all" tiermem policy usage
tap_is "$(awk '/^ *PID/ { getline; print $2; exit }' /tmp/out)" pressure "who has most far memory comes first"
mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/box
exits 0 "usage of a group" tiermem policy usage --cgroup box
emit_run usage-cgroup.json tiermem policy usage --cgroup / --json
exits 1 "usage of no group" tiermem policy usage --cgroup chest
up=$(counter pgpromote_success)
far_before=$(far $pid)
echo go >&3
if wait_for 120 promoted_since "$((up + 1000))"; then
	tap_ok "pages are promoted when they are used"
else
	tap_not_ok "pages are promoted when they are used"
	result "@tap # $(grep -E 'pgpromote|numa_hint|numa_pages' /proc/vmstat | tr '\n' ' ')"
fi
sleep 2
more_than "$far_before" "$(far $pid)" "usage: fewer lie in node 1"
exec 3>&-
wait
emit_run after.json tiermem policy show --json
exits 1 "usage of a process that is gone" tiermem policy usage $pid
exit 0
