# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# profile-A-6.12.t: systemd, in a namespace of process ids of its own where it is the first one, and our units.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
weights=/sys/kernel/mm/mempolicy/weighted_interleave
scan=/sys/kernel/debug/sched/numa_balancing
profile=/etc/tiermem/profile.json
units=/usr/lib/systemd/system

# What Debian's units are without all that has nothing to do with ours.
for target in sysinit basic multi-user shutdown timers; do
	printf '[Unit]\nDescription=%s\nDefaultDependencies=no\n' "$target" >"$units/$target.target"
done
printf 'Requires=sysinit.target\nAfter=sysinit.target timers.target\n' >>$units/basic.target
printf 'Requires=basic.target\nAfter=basic.target\n' >>$units/multi-user.target
ln -s multi-user.target $units/default.target
mkdir -p $units/multi-user.target.wants $units/tiermem-profile.service.d /etc/tiermem /etc/systemd/system
ln -s ../tiermem-profile.service $units/multi-user.target.wants/
# There is no journal here.
printf '[Service]\nStandardOutput=append:/tmp/service.log\nStandardError=append:/tmp/service.log\n' \
	>$units/tiermem-profile.service.d/log.conf
echo 0123456789abcdef0123456789abcdef >/etc/machine-id
cat >$profile <<-'END'
	{"schema": "tiermem.profile/1",
	 "weights": "best",
	 "mthp": {"sizes": {"64K": {"shmem": "always"}, "1G": {"shmem": "always"}}},
	 "policy": {"demotion": "on", "numa-balancing": "tiering", "promote-rate-limit": "20G", "scan-delay": 777}}
END
mount -t cgroup2 none /sys/fs/cgroup
unshare -f -p sh -c 'mount -t proc none /proc; exec /usr/lib/systemd/systemd --system --log-target=console --show-status=0' \
	>/tmp/systemd.log 2>&1 &

# Whoever talks to systemd must be among the processes that it sees. /proc is its own by now: it is the first there.
inside()
{
	nsenter -t 1 -p "$@"
}

runs()
{
	grep -c '/mthp/sizes/1G/shmem: left out' /tmp/service.log 2>/dev/null
}

# ended N: whether the service has run so often, and does not run now
ended()
{
	[ "$(runs)" = "$1" ] || return
	case $(inside systemctl show -P ActiveState tiermem-profile.service 2>/dev/null) in
	inactive | failed) ;;
	*) return 1 ;;
	esac
}

# result_is WANTED TEXT: of the last run, with its exit code
result_is()
{
	tap_is "$(inside systemctl show -P Result -P ExecMainStatus tiermem-profile.service | tr '\n' ' ')" "$1 " "$2"
}

settings()
{
	cat $weights/node0 $weights/node1 /proc/sys/kernel/numa_balancing /sys/kernel/mm/numa/demotion_enabled \
		/proc/sys/kernel/numa_balancing_promote_rate_limit_MBps $scan/scan_delay_ms | tr '\n' ' '
}

wait_for 30 test -d /run/systemd/system
wait_for 60 ended 1
result_is "success 0" "at boot the service succeeds"
tap_is "$(settings)" "5 1 2 true 19073 777 " "the settings are so"
tap_is "$(sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/mm/transparent_hugepage/hugepages-64kB/shmem_enabled)" always \
	"huge pages too"
tap_is "$(runs)" 1 "it says what it left out"
tap_is "$(stat -c '%a %u' /run/tiermem) $(ls /run/tiermem | tr '\n' ' ')" "700 0 last.journal lock " \
	"its journal outlives it"

# --- memory comes online: what the rule runs ---

echo 9 >$weights/node0
for _ in 1 2 3 4 5; do
	inside /usr/lib/tiermem/tiermem-hotplug
done
wait_for 60 ended 2
tap_is "$(settings)" "5 1 2 true 19073 777 " "the timer starts the service again"
tap_is "$(ls -d /run/tiermem-hotplug* 2>/dev/null)" "" "nobody waits any more"
echo 9 >$weights/node0
inside /usr/lib/tiermem/tiermem-hotplug
wait_for 60 ended 3
tap_is "$(settings)" "5 1 2 true 19073 777 " "and again"
tap_is "$(runs)" 3 "six blocks were two runs"

# --- what fails is seen ---

sed -i 's/tiering/tierng/' $profile
inside systemctl start tiermem-profile.service 2>/dev/null
result_is "exit-code 1" "a faulty profile fails"
tap_is "$(grep -c "did you mean tiering" /tmp/service.log)" 1 "and says why"
tap_is "$(settings)" "5 1 2 true 19073 777 " "nothing is written"
rm $profile
inside systemctl reset-failed tiermem-profile.service
inside systemctl start tiermem-profile.service
tap_is "$(inside systemctl show -P ConditionResult tiermem-profile.service)" no "without a profile it is passed over"
emit service.log /tmp/service.log
emit systemd.log /tmp/systemd.log
exit 0
