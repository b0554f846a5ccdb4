# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# run-*.t: where the memory of a command lies that runs under `tiermem run`, and what becomes of its signals, its exit
# code and the weights.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
weights=/sys/kernel/mm/mempolicy/weighted_interleave

# weights_now: "1 1", behind "true" or "false" where the kernel has the switch
weights_now()
{
	cat "$weights/auto" "$weights/node0" "$weights/node1" 2>/dev/null | tr '\n' ' ' | sed 's/ $//'
}

weights_are()
{
	# shellcheck disable=SC2317 # wait_for calls it
	[ "$(weights_now)" = "$1" ]
}

# spread_is TEXT NODE SHARE ARG...: so many of a thousand pages are on the node, give or take ten. What is not large is
# on $elsewhere, where that is set
spread_is()
{
	_what=$1
	_node=$2
	_share=$3
	shift 3
	exits 0 "$_what: runs" tiermem run "$@"
	_got=$(awk -v node="$_node" '/^[0-9?]/ { all += $2; if ($1 == node) n = $2 }
		END { printf "%d", all ? 1000 * n / all + 0.5 : -1 }' /tmp/out)
	if [ "$_got" -ge $((_share - 10)) ] && [ "$_got" -le $((_share + 10)) ]; then
		tap_ok "$_what: $_got of 1000 pages are on node $_node"
	else
		tap_not_ok "$_what: $_got of 1000 pages are on node $_node, not $_share"
		result "@tap # $(tr '\n' ' ' </tmp/out)"
	fi
	[ -z "${elsewhere-}" ] && return
	tap_is "$(grep -E '^(text|stack|small)' /tmp/out | tr '\n' ' ')" \
		"text $elsewhere stack $elsewhere small $elsewhere " "$_what: text, stack and small heap are not"
}

# 60,000 pages, 200 MiB, and less where neither matters
pages=245760000
array=209715200
some=41943040

# nodes_are TEXT WANTED ARG...
nodes_are()
{
	_what=$1
	_nodes=$2
	shift 2
	exits 0 "$_what: works" tiermem run --dry-run "$@" -- true
	tap_is "$(sed -n 's/^nodes *\([0-9,-]*[0-9]\).*/\1/p' /tmp/out)" "$_nodes" "$_what"
}

# What large and small memory get, by the kernel's own word
places_are()
{
	exits 0 "$1: places runs" tiermem run --all --large 1M --"$1" -- places 1048576
	tap_is "$(grep -v ' default$' /tmp/out | grep -cv " $2 0,1\$")" 0 "$2 0,1 is the only policy of large memory"
	tap_is "$(sed -n 's/ default$//p' /tmp/out | tr '\n' ' ')" \
		"text data stack thread-stack small below realloc-small mmap-below mmap-stack mmap-file fixed-beside " \
		"and these have none"
}

# in_background ARG...: $! once it has set its weights to $1
in_background()
{
	_want=$1
	shift
	tiermem run "$@" >/tmp/bg.out 2>/tmp/bg.err </dev/null &
	wait_for 20 weights_are "$_want" || result "@tap # $(cat /tmp/bg.err)"
}

placement()
{
	_heavy=$1 # of 1000 pages on node 0, by the weights that are set
	spread_is "by weights, all nodes" 0 "$_heavy" --weighted --all -- spread $pages
	spread_is "by weights is the default" 0 "$_heavy" -- spread $some
	spread_is "evenly" 0 500 --interleave -- spread $some
	spread_is "bound" 1 1000 --bind --nodes 1 -- spread $some
	spread_is "one preferred" 1 1000 --preferred --nodes 1 -- spread $some
	spread_is "several preferred" 0 1000 --preferred --all -- spread $some
	elsewhere=0
	spread_is "only large ones, by weights" 0 "$_heavy" --all --large 16M -- spread $array
	spread_is "only large ones, evenly" 0 500 --interleave --large 16M -- spread $some
	spread_is "only large ones, elsewhere" 1 1000 --bind --nodes 1 --large 16M -- spread $some
	spread_is "large ones that are filled at once" 0 "$_heavy" --large 16M -- spread $array populate
	spread_is "not large enough" 0 1000 --all --large 256M -- spread $some
	elsewhere=
	places_are weighted weighted-interleave
	places_are interleave interleave
}

choice()
{
	nodes_are "the local nodes" 0-1
	nodes_are "all nodes" 0-1 --all
	nodes_are "by name" 0-1 --nodes 1,0
	nodes_are "by tier" 1 --tiers 70
	nodes_are "by tiers" 0-1 --tiers 4,70
	nodes_are "by kind" 0 --kind DRAM
	exits 2 "a node that is not there" tiermem run --nodes 0,9 -- true
	says "it is named" 'there is no node 9'
	exits 2 "a tier that is not there" tiermem run --tiers 5 -- true
	exits 2 "a kind that is not there" tiermem run --kind hbm,pmem -- true
	exits 2 "weights for another number of nodes" tiermem run --weights 5 -- true
	mount -t cgroup2 none /sys/fs/cgroup
	echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
	mkdir /sys/fs/cgroup/one
	echo 1 >/sys/fs/cgroup/one/cpuset.mems
	# shellcheck disable=SC2016 # for the inner shell
	exits 125 "a cpuset that allows none of them" \
		sh -c 'echo $$ >/sys/fs/cgroup/one/cgroup.procs; exec tiermem run --nodes 0 -- true'
	says "both are named" 'nodes 0 are not among those that the cpuset allows, 1'
	# shellcheck disable=SC2016
	exits 0 "a cpuset that allows one" \
		sh -c 'echo $$ >/sys/fs/cgroup/one/cgroup.procs; exec tiermem run --dry-run --all -- true'
	tap_is "$(grep -E '^(nodes|cpuset)' /tmp/out | tr '\n' ' ')" "nodes       1 cpuset.mems 1 " "it is kept to"
}

# With --weights tiermem stays: $1 as they are before and after, $2 meanwhile with 5,1, $3 with 3,2
own_weights()
{
	spread_is "other weights" 0 833 --weights 5,1 -- spread $some
	tap_is "$(weights_now)" "$1" "they are back when the command has ended"
	exits 7 "its exit code" tiermem run --weights 5,1 -- sh -c 'exit 7'
	# shellcheck disable=SC2016
	exits 0 "meanwhile" tiermem run --weights 3,2 -- sh -c \
		'cd /sys/kernel/mm/mempolicy/weighted_interleave; cat auto node0 node1 2>/dev/null; true'
	tap_is "$(tr '\n' ' ' </tmp/out)" "$3 " "the command sees its weights"
	# shellcheck disable=SC2016
	exits 137 "its signal" tiermem run --weights 5,1 -- sh -c 'kill -9 $$'
	exits 7 "its exit code where children are ignored" \
		sh -c 'trap "" CHLD; exec tiermem run --weights 5,1 -- sh -c "exit 7"'
	exits 127 "a command that is not there" tiermem run --weights 5,1 -- nosuch
	exits 126 "one that cannot be executed" tiermem run --weights 5,1 -- /proc/version
	tap_is "$(weights_now)" "$1" "nothing of this leaves other weights"
	tap_is "$(echo /run/tiermem/*)" /run/tiermem/lock "nor a journal"

	for _signal in TERM HUP USR1; do
		in_background "$2" --weights 5,1 -- sleep 1000
		kill -$_signal $!
		wait $!
		tap_is $? $((128 + $(kill -l $_signal))) "SIG$_signal goes on to the command"
		tap_is "$(weights_now)" "$1" "SIG$_signal: they are back"
	done
	# shellcheck disable=SC2016
	in_background "$2" --weights 5,1 -- sh -c 'trap "exit 3" TERM; touch /tmp/ready; while :; do usleep 10000; done'
	wait_for 20 test -e /tmp/ready
	tap_is "$(pidof sleep)" "" "no command is left over"
	kill -TERM $!
	wait $!
	tap_is $? 3 "a command that ends in its own way"

	in_background "$2" --weights 5,1 -- sleep 1000
	_first=$!
	exits 125 "another one meanwhile" tiermem run --weights 3,2 -- true
	says "names the first" "process $_first"
	kill -9 $_first
	wait $_first
	tap_is "$(weights_now)" "$2" "killed at once it leaves them"
	exits 0 "one without weights of its own" tiermem run -- true
	says "knows what to do" 'tiermem recover'
	# shellcheck disable=SC2016
	exits 0 "another one after that" tiermem run --weights 3,2 -- sh -c \
		'cd /sys/kernel/mm/mempolicy/weighted_interleave; cat auto node0 node1 2>/dev/null; true'
	says "takes back what was left" 'node0: a killed tiermem run had changed it; put back'
	tap_is "$(tr '\n' ' ' </tmp/out)" "$3 " "its command sees its weights"
	tap_is "$(weights_now)" "$1" "they are as they were at first"
	exits 0 "recover" tiermem recover
	tap_is "$(cat /tmp/out)" "nothing to recover" "there is nothing more"
	killall sleep

	exits 125 "another user" su -s /bin/sh nobody -c 'tiermem run --weights 5,1 -- true'
	says "is told why" 'ermission denied'
	exits 0 "another user, the weights that are set" su -s /bin/sh nobody -c 'tiermem run -- true'
}

ints_are()
{
	# shellcheck disable=SC2317 # wait_for calls it
	[ "$(wc -l </tmp/ints)" = "$1" ]
}

# The terminal tells all of its foreground group of ctrl-c: the command must hear of it once. So must it of a signal that
# tiermem alone is sent. Ignored signals cannot be caught, and background jobs ignore this one: tiermem is in the
# foreground, and what it is sent comes from behind.
terminal()
{
	cat >/tmp/cmd <<-'END'
		trap 'echo int >>/tmp/ints' INT
		trap 'exit 5' TERM
		touch /tmp/listens
		while :; do usleep 10000; done
	END
	mkdir -p /dev/pts
	mount -t devpts none /dev/pts
	mkfifo /tmp/keys
	exec 7<>/tmp/keys
	{
		wait_for 20 test -e /tmp/listens
		printf '\003' >&7
		wait_for 10 test -e /tmp/ints
		usleep 300000
		cp /tmp/ints /tmp/ints.key
		kill -INT "$(pidof tiermem)"
		wait_for 10 ints_are 2
		usleep 300000
		kill -TERM "$(pidof tiermem)"
	} &
	SHELL=/bin/sh script -q -c 'tiermem run --weights 5,1 -- sh /tmp/cmd' /dev/null <&7 >/dev/null 2>&1
	exec 7>&-
	tap_is "$(cat /tmp/ints.key)" int "ctrl-c comes once"
	tap_is "$(wc -l </tmp/ints)" 2 "SIGINT to tiermem comes once"
	tap_is "$(weights_now)" "$1" "the weights are back"
}

# Equal weights need no parent.
same_weights()
{
	tiermem run --weights "$1" -- sleep 1000 &
	wait_for 20 grep -q sleep "/proc/$!/comm"
	tap_is "$(cat "/proc/$!/comm")" sleep "the same weights: tiermem becomes the command"
	emit_run show.json tiermem run --show $! --json
	tap_is $? 0 "--show --json"
	exits 0 "--show" tiermem run --show $!
	tap_is "$(sed -n 's/^process [0-9]* (\(.*\)/\1/p' /tmp/out)" \
		"sleep): weighted-interleave over nodes 0-1; cpuset.mems 0-1" "--show says what it has"
	kill $!
	wait $!
	emit_run dry-run.json tiermem run --dry-run --json --weights 9,2 --large 1G -- places 'a b'
	tap_is $? 0 "--dry-run --json"
}

case $(cat /vm/name)-$(uname -r) in
A-6.1.*)
	exits 3 "no weighted interleave" tiermem run -- true
	says "names the kernel" "kernel $(uname -r) has no weighted interleave"
	says "says when it came" 'kernel 6\.9'
	exits 3 "nor for large ones" tiermem run --large 1M -- true
	exits 3 "nor with weights" tiermem run --weights 5,1 -- true
	exits 0 "--fallback" tiermem run --fallback -- true
	says "says what it does" 'spread evenly'
	spread_is "--fallback" 0 500 --fallback --all -- spread $pages
	elsewhere=0
	spread_is "--fallback for large ones" 0 500 --fallback --all --large 16M -- spread $array
	elsewhere=
	spread_is "evenly" 0 500 --interleave -- spread $some
	spread_is "several preferred" 0 1000 --preferred --all -- spread $array
	;;
A-6.12.*)
	echo 5 >$weights/node0
	choice
	placement 833
	same_weights 5,1
	echo 1 >$weights/node0
	own_weights "1 1" "5 1" "3 2"
	terminal "1 1"
	;;
A-*)
	tap_is "$(weights_now)" "true 26 5" "the kernel computes weights"
	placement 839
	same_weights 26,5
	own_weights "true 26 5" "false 5 1" "false 3 2"
	;;
B-*)
	# The kernel names no initiator for the expander's node: it is local by distance.
	nodes_are "the local nodes" 0-1,3
	nodes_are "by kind" 3 --kind cxl
	nodes_are "by tier" 3 --tiers 326
	exits 2 "a node without memory" tiermem run --nodes 2 -- true
	says "it is named" 'there is no node 2'
	spread_is "CXL memory only" 3 1000 --bind --kind cxl --large 16M -- spread $some
	spread_is "three nodes" 3 333 --large 16M -- spread $array
	;;
plain-*)
	# No figures: leaving automatic weights is for good.
	tap_is "$(weights_now)" "true 1" "automatic weights without figures"
	exits 125 "weights that cannot be undone" tiermem run --weights 5 -- true
	says "say so" 'before the next boot'
	says "and how to go on" '--accept'
	tap_is "$(weights_now)" "true 1" "nothing was written"
	exits 0 "--accept" tiermem run --weights 5 --accept -- cat $weights/node0
	tap_is "$(cat /tmp/out)" 5 "the command has them"
	says "it is said again" 'before the next boot'
	tap_is "$(weights_now)" "false 1" "the weight is back, the switch is not"
	;;
esac
exit 0
