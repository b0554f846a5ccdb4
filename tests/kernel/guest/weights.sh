# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# weights.t: a transcript of reads and writes of the weights' files, and what tiermem says and does about them. Both must
# come out alike on every kernel that has them.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
weights=/sys/kernel/mm/mempolicy/weighted_interleave

# everything: what the files say, in a line. Starting a program takes long in an emulation, so none is.
everything()
{
	_line=
	for _file in "$weights"/*; do
		read -r _value <"$_file"
		_line="$_line ${_file##*/}=$_value"
	done
	echo "$_line"
}

modes()
{
	(cd $weights && stat -c '%A %n' . ./*)
}

# put FILE BYTES: without a newline unless they have one
put()
{
	# busybox's printf says nothing of a failed write.
	# shellcheck disable=SC3037
	_said=$({ echo -ne "$2" >"$weights/$1"; } 2>&1) && _said=taken
	echo "$1 <- \"$2\": ${_said##*: }"
	everything
}

# A write of no bytes at all does not come to the kernel's notice; one of a newline does.
bad_weights()
{
	for _put in '0\n' '0' '\n' ' \n' '256\n' '257' '1000000000000000000000\n' '-1\n' '+0\n' '1.5\n' 'x\n' '5x\n' '5 \n' ' 5\n' \
		'0x\n' '5\n\n' '5\n6\n' 'true\n' 'auto\n' '08\n' '0x100\n' '5,\n'; do
		put "$1" "$_put"
	done
}

good_weights()
{
	for _put in '1\n' '7' '7\n' '+9\n' '0x10\n' '010\n' '255\n' '0xff'; do
		put "$1" "$_put"
	done
}

bad_switches()
{
	for _put in '\n' 'maybe\n' '2\n' '-1\n' 'auto\n' ' true\n' 'o\n' 'of\n' '?\n'; do
		put auto "$_put"
	done
}

# Every spelling of both, from both.
good_switches()
{
	for _put in 'true\n' 'false\n' '1\n' '0\n' 'y' 'n\n' 'on\n' 'off\n' 'Y\n' 'N\n' 'T\n' 'F\n' 'ON\n' 'oFf\n' 'true' 'true\n' \
		'trash\n' 'fog\n' 'yes please\n'; do
		put auto "$_put"
	done
}

# by_hand_and_back NODE
by_hand_and_back()
{
	put "$1" '3\n'
	put auto 'false\n'
	put auto 'true\n'
	put auto 'false\n'
	put "$1" '4\n'
	put auto 'true\n'
}

transcript()
{
	everything
	modes
	good_switches
	bad_switches
	good_weights node0
	bad_weights node0
	by_hand_and_back node0
	[ ! -e $weights/node1 ] || good_weights node1
	[ ! -e $weights/node1 ] || by_hand_and_back node1
	echo "no such node: $(cat $weights/node7 2>&1 | sed 's/.*: //')"
	echo "by an ordinary user: $(su -s /bin/sh nobody -c "echo 5 >$weights/node0" 2>&1 | sed 's/.*: //')"
	echo "by an ordinary user: $(su -s /bin/sh nobody -c "echo false >$weights/auto" 2>&1 | sed 's/.*: //')"
	put auto 'true\n'
}

# node2 STATE: its memory
node2()
{
	for _state in /sys/devices/system/node/node2/memory*/state; do
		echo "$1" >"$_state"
	done
	case $1 in
	offline) wait_for 20 test ! -e $weights/node2 ;;
	*) wait_for 20 test -e $weights/node2 ;;
	esac || echo "node2 $1: nothing happens"
	echo "node2 $1:"
	everything
}

hotplug()
{
	everything
	node2 online_movable
	modes
	put auto 'true\n'
	put auto 'false\n'
	put auto 'true\n'
	node2 offline
	put auto 'false\n'
	put auto 'true\n'
	node2 online_movable
	node2 offline
	# A weight that was set by hand, and has gone with its node.
	node2 online_movable
	put node2 '9\n'
	node2 offline
	put node0 '6\n'
	node2 online_movable
	put auto 'true\n'
	# Coming and going while they are manual.
	put auto 'false\n'
	node2 offline
	node2 online_movable
	put auto 'true\n'
	node2 offline
	put auto 'true\n'
	put auto 'false\n'
	put auto 'true\n'
}

# say NAME ARG...: what tiermem says, how it ends, and what the files say then
say()
{
	_name=$1
	shift
	tiermem "$@" >/tmp/out 2>/tmp/err </dev/null
	_code=$?
	emit "$_name.json" /tmp/out
	{
		echo "tiermem $*: exits $_code"
		cat /tmp/err
		everything
	} >>/tmp/said
}

commands()
{
	: >/tmp/said
	say "show" weights show --json
	say "compute" weights compute --json
	say "kernel" weights compute --algorithm kernel --json
	say "dry-run" weights apply --dry-run --json
	say "apply" weights apply --json
	say "shown" weights show --json
	say "again" weights apply --json
	say "auto" weights apply --auto --json
	say "undo" undo --json
	say "undo-again" undo --json
	say "accept" weights apply --assume-unknown 3 --accept --json
	say "reset" weights reset --json
	say "undone" undo --json
	put auto 'true\n' >>/tmp/said
	emit said /tmp/said
}

if [ -e /sys/devices/system/node/node2 ]; then
	hotplug | emit transcript
	node2 online_movable >/dev/null
else
	transcript | emit transcript
fi
commands
exit 0
