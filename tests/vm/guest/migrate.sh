# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# migrate-*.t: `tiermem policy migrate` moves a process's pages to node 1 and back, and says what stays and why.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# dwell BYTES [KIND...]: starts it; its process is $pid, asked by `where`
dwell()
{
	rm -f /tmp/ask /tmp/told
	mkfifo /tmp/ask /tmp/told
	command dwell "$@" </tmp/ask >/tmp/told &
	pid=$!
	exec 8>/tmp/ask 9</tmp/told
	read -r _word <&9
}

leave()
{
	exec 8>&- 9<&-
	wait "$pid"
}

where()
{
	echo >&8
	read -r places <&9
	echo "$places"
}

# lies NODE LEAST TEXT: so many of a thousand pages, by the process's own question to the kernel
lies()
{
	_got=$(where | cut -d' ' -f$(($1 + 1)))
	if [ "$_got" -ge "$2" ]; then
		tap_ok "$3: $_got of 1000 pages are on node $1"
	else
		tap_not_ok "$3: $_got of 1000 pages are on node $1"
		result "@tap # $(head -n 5 /tmp/out | tr '\n' ' ') $(cat /tmp/err)"
	fi
}

# holds TEXT COMMAND...
holds()
{
	_text=$1
	shift
	if "$@"; then tap_ok "$_text"; else tap_not_ok "$_text"; fi
}

moved_some()
{
	# shellcheck disable=SC2317 # wait_for calls it
	[ "$(where | cut -d' ' -f2)" -ge 50 ]
}

there_and_back()
{
	dwell 209715200 "$@"
	lies 0 1000 "$* before"
	exits 0 "$*: a dry run" tiermem policy migrate $pid --from 0 --to 1 --dry-run
	lies 0 1000 "$*: moves nothing"
	exits 0 "$*: to node 1" tiermem policy migrate $pid --from 0 --to 1
	lies 1 1000 "$*: to node 1"
	emit_run "there-$1.json" tiermem policy migrate $pid --from 1 --to 0 --json
	tap_is $? 0 "$*: and back"
	lies 0 1000 "$*: and back"
	exits 0 "$*: nothing is left to move" tiermem policy migrate $pid --from 1 --to 0
	leave
}

echo always >/sys/kernel/mm/transparent_hugepage/enabled
there_and_back cold
there_and_back huge

# What a child maps too.
dwell 41943040 shared
tiermem policy migrate $pid --from 0 --to 1 >/tmp/out 2>/tmp/err
lies 0 1000 "shared pages stay"
holds "and it says so" grep -q 'other processes map it too' /tmp/out
exits 0 "shared pages with --all" tiermem policy migrate $pid --from 0 --to 1 --all
lies 1 1000 "shared pages with --all"
leave

# More than node 1 has.
dwell 629145600
emit_run full.json tiermem policy migrate $pid --from 0 --to 1 --json
tap_is $? 1 "a node that is full"
tap_is "$(head -n 1 /tmp/.err)" "tiermem policy migrate: --to: no memory left there" "it says so"
lies 1 500 "and what fits is there"
exits 0 "all back" tiermem policy migrate $pid --from 1 --to 0
lies 0 999 "all back"

# Interrupted.
tiermem policy migrate $pid --from 0 --to 1 >/tmp/out 2>/tmp/err &
mover=$!
wait_for 20 moved_some
kill -TERM $mover
wait $mover
tap_is $? 1 "interrupted"
says "it says so" "interrupted: the rest has stayed"
holds "and what was moved" grep -q ': moved [1-9]' /tmp/out

# It ends meanwhile.
tiermem policy migrate $pid --from 1 --to 0 >/tmp/out 2>/tmp/err
tiermem policy migrate $pid --from 0 --to 1 >/tmp/out 2>/tmp/err &
mover=$!
wait_for 20 moved_some
kill -9 $pid
wait $mover
tap_is $? 1 "the process ends meanwhile"
says "it says so" "process $pid has ended"
exec 8>&- 9<&-

# What is refused.
dwell 4194304
exits 1 "no such process" tiermem policy migrate 99999 --from 0 --to 1
says "no such process" "there is no process 99999"
exits 1 "a kernel thread" tiermem policy migrate 2 --from 0 --to 1
says "a kernel thread" "no memory of its own"
exits 2 "no such node" tiermem policy migrate $pid --from 0 --to 7
says "no such node" "node 7 is not there"
says "and those that are" "nodes with memory: 0-1"
exits 1 "another user" su -s /bin/sh nobody -c "tiermem policy migrate $pid --from 0 --to 1"
mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/zero
echo 0 >/sys/fs/cgroup/zero/cpuset.mems
echo $pid >/sys/fs/cgroup/zero/cgroup.procs
exits 1 "a node that its cpuset does not allow" tiermem policy migrate $pid --from 0 --to 1
says "both are named" "node 1 is not among those that its cpuset allows, 0"
lies 0 1000 "all that moved nothing"
leave
exit 0
