# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# weights-*.t: whether the kernel takes the weights that tiermem writes, and whether they come back.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
weights=/sys/kernel/mm/mempolicy/weighted_interleave

# "1 1", behind "true" or "false" where the kernel has the switch
weights_now()
{
	cat "$weights/auto" $weights/node[0-9]* 2>/dev/null | tr '\n' ' ' | sed 's/ $//'
}

# weights_are WANTED TEXT
weights_are()
{
	tap_is "$(weights_now)" "$1" "$2"
}

# Both documents go to the host, which knows their schemas.
plan()
{
	_name=$1
	shift
	emit_run "$_name.json" tiermem "$@" --json
	tap_is $? 0 "$_name"
}

# apply_and_undo BEFORE AFTER: best weights, and back
apply_and_undo()
{
	weights_are "$1" "before"
	plan dry-run weights apply --dry-run
	weights_are "$1" "a dry run writes nothing"
	tap_is "$(ls -A /run/tiermem 2>/dev/null)" "" "nor keeps anything"
	plan apply weights apply
	weights_are "$2" "weights apply"
	exits 0 "apply again" tiermem weights apply
	tap_is "$(cat /tmp/out)" "nothing to do: it is so already" "it is so already"
	weights_are "$2" "and stays so"
	tap_is "$(stat -c '%a %u' /run/tiermem)" "700 0" "the journal's folder is root's own"
	exits 1 "an ordinary user applies nothing" su -s /bin/sh nobody -c 'tiermem weights apply --bandwidth 0=9G,1=1G'
	says "permission denied" 'Permission denied'
	weights_are "$2" "nothing was written"
	plan undo undo
	weights_are "$1" "undo"
	exits 1 "there is nothing more to undo" tiermem undo
	weights_are "$1" "nothing happens"
}

# killed NODE1: a tiermem was; its journal is there, half of its weights are written
killed()
{
	tiermem weights apply >/dev/null
	sed 's/"start":[^,]*,/"start": 1,/' /run/tiermem/last.journal >/run/tiermem/9.journal
	rm /run/tiermem/last.journal
	echo "$1" >$weights/node1
}

of_earlier_boot()
{
	sed -i 's/"boot_id":[^,]*,/"boot_id": "11111111-2222-3333-4444-555555555555",/' "/run/tiermem/$1.journal"
}

# half_way BEFORE NODE1 OTHER: $3 is what weights of 3:1 read like
half_way()
{
	killed "$2"
	exits 0 "show" tiermem weights show
	says "readers say what is half-way" 'tiermem recover'
	exits 0 "the next that writes" tiermem weights apply --bandwidth 0=3G,1=1G
	says "says what it takes back" 'node0: a killed tiermem weights apply had changed it; put back'
	weights_are "$3" "then it writes"
	exits 0 "and is undone itself" tiermem undo
	weights_are "$1" "to what was before the killed one"
	killed "$2"
	exits 0 "undo" tiermem undo
	says "takes back what the killed one left" 'a killed tiermem weights apply'
	weights_are "$1" "undo of what was killed"
	killed "$2"
	plan recover recover
	weights_are "$1" "recover"
	exits 0 "recover once more" tiermem recover
	tap_is "$(cat /tmp/out)" "nothing to recover" "nothing to recover"

	# Settings of an earlier boot have gone with it: there is nothing to take back.
	killed "$2"
	of_earlier_boot 9
	_now=$(weights_now)
	exits 0 "a journal of an earlier boot" tiermem weights show
	tap_is "$(cat /tmp/err)" "" "readers do not speak of it"
	exits 0 "writers neither" tiermem weights apply --bandwidth 0=3G,1=1G
	tap_is "$(cat /tmp/err) $(ls /run/tiermem)" " $(printf 'last.journal\nlock')" "and remove it"
	weights_are "$3" "they write"
	exits 0 "undo of that" tiermem undo
	weights_are "$_now" "to what was there before"
	tiermem weights reset >/dev/null
	killed "$2"
	of_earlier_boot 9
	exits 0 "recover" tiermem recover
	tap_is "$(cat /tmp/out) $(ls /run/tiermem)" "nothing to recover lock" "recover removes it too"
	exits 0 "as at first" tiermem weights reset
	weights_are "$1" "as at first"
	exits 0 "apply, which was of an earlier boot" tiermem weights apply
	of_earlier_boot last
	exits 1 "undo" tiermem undo
	says "of an earlier boot there is nothing to undo" 'nothing to undo'
	exits 0 "as at first" tiermem weights reset

	mount -o remount,ro /sys
	exits 1 "sysfs is read-only" tiermem weights apply
	says "says so" 'Read-only file system'
	says "and where it would work" 'hint: /sys is mounted read-only'
	mount -o remount,rw /sys
	weights_are "$1" "nothing was written"
	tap_is "$(echo /run/tiermem/*)" "/run/tiermem/last.journal /run/tiermem/lock" "nor kept"
}

case $(cat /vm/name)-$(uname -r) in
A-6.1.*)
	for command in show apply reset 'apply --auto'; do
		# shellcheck disable=SC2086
		exits 3 "weights $command" tiermem weights $command
		says "weights $command: says when it came" 'kernel 6\.9'
	done
	exits 0 "computing needs no kernel" tiermem weights compute
	plan compute weights compute
	;;
A-6.12.*)
	plan show weights show
	apply_and_undo "1 1" "5 1"
	exits 3 "no automatic weights" tiermem weights apply --auto
	says "says when they came" '6\.16'
	half_way "1 1" 1 "3 1"
	exits 0 "weights of one's own" tiermem weights apply --bandwidth 0=300G,1=100G
	weights_are "3 1" "weights of one's own"
	exits 0 "reset" tiermem weights reset
	weights_are "1 1" "reset"
	exits 0 "undo of reset" tiermem undo
	weights_are "3 1" "undo of reset"
	# A stranger's value stays.
	echo 77 >$weights/node0
	tiermem weights apply >/dev/null
	echo 78 >$weights/node0
	exits 4 "somebody else has set it" tiermem undo
	says "it is named" 'node0: somebody else'
	weights_are "78 1" "his value stays"
	;;
A-*)
	plan show weights show
	plan kernel weights compute --algorithm kernel
	apply_and_undo "true 26 5" "false 5 1"
	tiermem weights apply >/dev/null
	plan auto weights apply --auto
	weights_are "true 26 5" "apply --auto"
	exits 0 "undo of apply --auto" tiermem undo
	weights_are "false 5 1" "undo of apply --auto"
	exits 0 "reset" tiermem weights reset
	weights_are "true 26 5" "reset"
	exits 0 "apply --auto again" tiermem weights apply --auto
	tap_is "$(cat /tmp/out)" "nothing to do: it is so already" "it is automatic already"
	half_way "true 26 5" 5 "false 3 1"
	;;
plain-*)
	weights_are "true 1" "automatic weights without figures"
	exits 3 "no weight is invented" tiermem weights apply
	says "says which node" 'node 0 is unknown'
	exits 0 "a dry run tells" tiermem weights apply --assume-unknown 3 --dry-run
	says "that it is for good" 'before the next boot'
	exits 1 "the one-way door" tiermem weights apply --assume-unknown 3
	says "says so" 'before the next boot'
	says "and how to go on" '--accept'
	weights_are "true 1" "nothing was written"
	exits 0 "--accept" tiermem weights apply --assume-unknown 3 --accept
	weights_are "false 3" "--accept"
	echo true 2>/dev/null >$weights/auto
	weights_are "false 3" "the kernel does not go back"
	exits 3 "nor does --auto" tiermem weights apply --auto
	exits 4 "undo puts back what it can" tiermem undo
	says "and names the rest" 'auto: the kernel knows no bandwidths'
	weights_are "false 1" "undo"
	;;
esac
exit 0
