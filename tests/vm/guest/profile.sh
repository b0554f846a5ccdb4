# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# profile-B-6.12.t: settings that survive a reboot, and memory that comes online afterwards.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
weights=/sys/kernel/mm/mempolicy/weighted_interleave
profile=/etc/tiermem/profile.json
udevadm=$(sed -n 1p /vm/udev)
LD_LIBRARY_PATH=$(sed -n 2p /vm/udev)
export LD_LIBRARY_PATH

weights_now()
{
	cat $weights/node[013] | tr '\n' ' ' | sed 's/ $//'
}

weights_are()
{
	[ "$(weights_now)" = "$1" ]
}

# As the boot service runs it
service()
{
	sh -c "$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/tiermem-profile.service)"
}

# Counts how often the program is run to apply; each line is one.
mv /usr/bin/tiermem /usr/bin/tiermem.real
cat >/usr/bin/tiermem <<-'END'
	#!/bin/sh
	[ "$2" != apply ] || echo "$*" >>/tmp/applies
	exec /usr/bin/tiermem.real "$@"
END
chmod +x /usr/bin/tiermem
: >/tmp/applies

count()
{
	wc -l </tmp/applies
}

# few MOST TEXT: at least one, and no more than so many
few()
{
	if [ "$(count)" -ge 1 ] && [ "$(count)" -le "$1" ]; then
		tap_ok "$2"
	else
		tap_not_ok "$2: $(count)"
	fi
}

# quiet: no apply has begun for a while
quiet()
{
	_before=-1
	while [ "$_before" != "$(count)" ]; do
		_before=$(count)
		sleep 5
	done
}

# online_events N: as if so many blocks had come online
online_events()
{
	_left=$1
	while [ "$_left" -gt 0 ]; do
		for block in /sys/devices/system/memory/memory[0-9]*; do
			[ "$_left" -gt 0 ] || break
			echo online >"$block/uevent"
			_left=$((_left - 1))
		done
	done
}

mkdir -p /etc/tiermem
cat >$profile <<-'END'
	{"schema": "tiermem.profile/1",
	 "weights": "best",
	 "mthp": {"sizes": {"64K": {"shmem": "always"}, "1G": {"shmem": "always"}}},
	 "policy": {"demotion": "on", "numa-balancing": "tiering", "promote-rate-limit": "20G"}}
END

# --- after boot ---

tap_is "$(weights_now)" "1 1 1" "after boot no setting is left"
exits 3 "what this machine lacks stops it" tiermem profile apply $profile
says "it is named" '/mthp/sizes/1G/shmem: this machine has no such size'
tap_is "$(weights_now)" "1 1 1" "nothing is written"
exits 5 "--check tells" tiermem profile apply --check --skip-missing $profile
emit_run diff.json tiermem profile diff --json $profile
exits 1 "an ordinary user applies nothing" su -s /bin/sh nobody -c "tiermem.real profile apply --skip-missing $profile"
says "an ordinary user: permission" 'Permission denied'
tap_is "$(weights_now)" "1 1 1" "nothing is written by him"
exits 0 "the boot service" service
says "it names what it left out" '/mthp/sizes/1G/shmem: left out'
tap_is "$(weights_now)" "5 1 1" "the best weights of two nodes"
tap_is "$(cat /sys/kernel/mm/numa/demotion_enabled)" true "demotion is on"
tap_is "$(cat /proc/sys/kernel/numa_balancing)" 2 "NUMA balancing is tiering"
tap_is "$(cat /proc/sys/kernel/numa_balancing_promote_rate_limit_MBps)" 19073 "the rate limit, in the kernel's unit"
tap_is "$(sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/mm/transparent_hugepage/hugepages-64kB/shmem_enabled)" always \
	"huge pages of shared memory"
exits 0 "--check agrees by reading" tiermem profile apply --check --skip-missing $profile
exits 0 "once more" service
tap_is "$(cat /tmp/out)" "nothing to do: it is so already" "nothing is left to do"

# --- memory comes online ---

syslogd -O /tmp/messages
ln -s "$udevadm" /tmp/systemd-udevd
mkdir -p /run/udev
/tmp/systemd-udevd --daemon || tap_not_ok "udevd runs"
block=/sys/devices/system/memory/memory0
"$udevadm" test --action=online $block >/tmp/out 2>/tmp/err
cat /tmp/out >>/tmp/err
says "the rule is for blocks that come online" '/usr/lib/tiermem/tiermem-hotplug'
"$udevadm" test --action=add $block >/tmp/out 2>/tmp/err
cat /tmp/out >>/tmp/err
tap_is "$(grep -c tiermem-hotplug /tmp/err)" 0 "and for no others"

: >/tmp/applies
if ! sh -e /vm/setup.sh; then
	tap_not_ok "the expander's memory comes online"
	exit 0
fi
wait_for 60 weights_are "20 4 1"
tap_is "$(weights_now)" "20 4 1" "the weights follow the new node"
quiet
few 4 "in few runs"
exits 0 "the machine is as the profile says" tiermem profile apply --check --skip-missing $profile
wait_for 10 grep -q 'tiermem-hotplug: .*left out' /tmp/messages
tap_is "$(grep -c 'tiermem-hotplug: .*left out' /tmp/messages | sed 's/[1-9][0-9]*/some/')" some "the log has what was said"

: >/tmp/applies
echo 7 >$weights/node0
online_events 90
wait_for 60 weights_are "20 4 1"
tap_is "$(weights_now)" "20 4 1" "many blocks: the settings are there"
quiet
few 30 "many blocks, few runs"
# One that comes when all is over counts too.
echo 9 >$weights/node0
online_events 1
wait_for 60 weights_are "20 4 1"
tap_is "$(weights_now)" "20 4 1" "a late block"
quiet

exits 0 "what is set now" tiermem profile save /tmp/saved.json
emit saved.json /tmp/saved.json
rm $profile
: >/tmp/applies
echo 9 >$weights/node0
online_events 3
sleep 6
tap_is "$(count) $(weights_now)" "0 9 4 1" "without a profile nothing happens"
exits 0 "the saved one brings all back" tiermem profile apply /tmp/saved.json
tap_is "$(weights_now)" "20 4 1" "the saved one brings all back"
exits 0 "undo" tiermem undo
tap_is "$(weights_now)" "9 4 1" "undo"
emit messages /tmp/messages
exit 0
