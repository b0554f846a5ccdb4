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

# exits CODE TEXT COMMAND...: its output stays in /tmp/out and /tmp/err
exits()
{
	_wanted=$1
	_text=$2
	shift 2
	"$@" >/tmp/out 2>/tmp/err </dev/null
	_code=$?
	tap_is "$_code" "$_wanted" "$_text"
	[ "$_code" = "$_wanted" ] || result "@tap # $(head -n 5 /tmp/err | tr '\n' ' ')"
}

says()
{
	if grep -q -- "$2" /tmp/err; then
		tap_ok "$1"
	else
		tap_not_ok "$1"
		result "@tap # $(head -n 5 /tmp/err | tr '\n' ' ')"
	fi
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

# A killed tiermem: its journal is there, half of its weights are written.
half_way()
{
	tiermem weights apply >/dev/null
	mv /run/tiermem/last.journal /run/tiermem/9.journal
	sed -i 's/"start":[^,]*,/"start": 1,/' /run/tiermem/9.journal
	echo "$2" >$weights/node1
	exits 1 "what is half-way bars the next" tiermem weights apply --bandwidth 0=3G,1=1G
	says "says what to do" 'tiermem recover'
	exits 0 "show" tiermem weights show
	says "and so do readers" 'tiermem recover'
	plan recover recover
	weights_are "$1" "recover"
	exits 0 "recover once more" tiermem recover
	tap_is "$(cat /tmp/out)" "nothing to recover" "nothing to recover"
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
	half_way "1 1" 1
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
	half_way "true 26 5" 5
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
