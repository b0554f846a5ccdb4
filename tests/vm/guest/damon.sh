# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# damon-*.t: the schemes of `tiermem policy damon` move memory, stop puts all back, and what others have set up is left
# alone.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
k=/sys/kernel/mm/damon/admin/kdamonds
watcher=/sys/module/damon_stat/parameters/enabled

# dwell NAME BYTES [KIND]: starts it, to be asked by `where NAME`; its process is $pid
dwell()
{
	_name=$1
	shift
	mkfifo "/tmp/$_name.ask" "/tmp/$_name.told"
	(
		[ -z "${in_group-}" ] || sh -c "echo \$PPID >$in_group/cgroup.procs"
		exec dwell "$@"
	) <"/tmp/$_name.ask" >"/tmp/$_name.told" &
	pid=$!
	# Both ends are held open until the end.
	# shellcheck disable=SC2217
	sleep 10000 >"/tmp/$_name.ask" <"/tmp/$_name.told" &
	head -n 1 "/tmp/$_name.told" >/dev/null
}

# where NAME NODE: how much of a thousand
where()
{
	echo >"/tmp/$1.ask"
	head -n 1 "/tmp/$1.told" | cut -d' ' -f$(($2 + 1))
}

# moved NAME NODE LEAST
moved()
{
	# shellcheck disable=SC2317 # wait_for calls it
	[ "$(where "$1" "$2")" -ge "$3" ]
}

# arrives SECONDS NAME NODE LEAST TEXT
arrives()
{
	if wait_for "$1" moved "$2" "$3" "$4"; then
		tap_ok "$5: $(where "$2" "$3") of 1000 pages are on node $3"
	else
		tap_not_ok "$5: $(where "$2" "$3") of 1000 pages are on node $3"
		result "@tap # $(tiermem policy damon status 2>&1 | tr '\n' ' ')"
	fi
}

# holds TEXT COMMAND...
holds()
{
	_text=$1
	shift
	if "$@"; then tap_ok "$_text"; else tap_not_ok "$_text"; fi
}

number()
{
	cat $k/nr_kdamonds
}

# What only watches is on by default in newer kernels, and back after each stop.
watching=$(cat $watcher 2>/dev/null)
none_is_left()
{
	tap_is "$(number)" 0 "$1: no kdamond is left"
	tap_is "$(cat $watcher 2>/dev/null)" "$watching" "$1: DAMON_STAT is as it was"
}

mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/group

# Refusals, each before anything is written.
refused()
{
	_code=$1
	_words=$2
	shift 2
	exits "$_code" "refused: $*" tiermem policy damon start "$@"
	says "the reason" "$_words"
	tap_is "$(number)" 0 "nothing was set up"
}
refused 2 'from a node to itself' --cold 0:0
refused 2 'node 7 is not there' --cold 0:7
refused 2 'nodes with memory: 0-1' --hot 7:0
refused 2 'no control group /none' --cold 0:1 --cgroup /none
refused 2 'needs --cold' --quota 1G/1s
tap_is "$(ls -A /run/tiermem 2>/dev/null)" "" "nor anything kept"

# Cold memory of node 0 goes to node 1.
dwell cold 167772160
holds "all on node 0 before" moved cold 0 1000
emit_run dry-run.json tiermem policy damon start --cold 0:1 --quota none --dry-run --json
tap_is $? 0 "a dry run"
tap_is "$(number)" 0 "which writes nothing"
emit_run start.json tiermem policy damon start --cold 0:1 --quota none --json
tap_is $? 0 "start"
[ -s /tmp/.err ] && result "@tap # $(tr '\n' ' ' </tmp/.err)"
tap_is "$(cat $k/0/state)" on "it runs"
arrives 90 cold 1 900 "cold memory"
emit_run status.json tiermem policy damon status --json
exits 0 "status" tiermem policy damon status
tap_is "$(grep -c migrate_cold /tmp/out)" 1 "status shows the scheme"
exits 1 "another start" tiermem policy damon start --hot 1:0
says "is refused" 'was started by tiermem before'
# Other plans come and go.
exits 0 "another plan" tiermem policy set zone-reclaim-mode=1
exits 0 "and its undoing" tiermem undo
tap_is "$(cat $k/0/state)" on "do not end it"
exits 0 "stop" tiermem policy damon stop
none_is_left "stop"
exits 0 "stop again" tiermem policy damon stop
tap_is "$(cat /tmp/out)" "nothing to stop: tiermem has started no kdamond that is there" "there is nothing to stop"

# Hot memory of node 1 comes back: the same process, which from here on uses it.
kill $pid
dwell hot 83886080 hot
exits 0 "moved away by hand" tiermem policy migrate $pid --from 0 --to 1
exits 0 "start, hot" tiermem policy damon start --hot 1:0 --quota 1G/1s
arrives 90 hot 0 800 "hot memory"
exits 0 "undo ends it too" tiermem undo
none_is_left "undo"
kill $pid

# Both ways, a kdamond each, and only one control group's memory.
dwell outside 62914560
in_group=/sys/fs/cgroup/group
dwell inside 62914560
for name in inside outside; do
	holds "$name lies on node 0" moved $name 0 1000
done
exits 0 "start, both, of a group" tiermem policy damon start --cold 0:1 --hot 1:0 --cgroup /sys/fs/cgroup/group \
	--interval 5ms/100ms/1s
tap_is "$(number) $(cat $k/0/state) $(cat $k/1/state)" "2 on on" "two kdamonds"
tap_is "$(cat $k/0/contexts/0/schemes/0/filters/0/memcg_path)" /group "the kernel's name of the group"
arrives 90 inside 1 900 "memory of the group"
tap_is "$(where outside 0)" 1000 "memory outside stays"
exits 0 "stop of both" tiermem policy damon stop
none_is_left "stop of both"

# A module that shuts others out.
if echo Y >/sys/module/damon_reclaim/parameters/enabled 2>/dev/null &&
	[ "$(cat /sys/module/damon_reclaim/parameters/enabled)" = Y ]; then
	refused 1 'damon_reclaim runs' --cold 0:1
	echo N >/sys/module/damon_reclaim/parameters/enabled
fi

# Killed while it starts: recover finds what there is.
tiermem policy damon start --cold 0:1 >/dev/null 2>&1 &
kill -9 $!
wait $!
exits 0 "recover" tiermem recover
tiermem policy damon stop >/dev/null 2>&1
none_is_left "a killed start"

# A stranger's, running and not.
[ -e $watcher ] && echo N >$watcher
echo 1 >$k/nr_kdamonds
echo 1 >$k/0/contexts/nr_contexts
echo paddr >$k/0/contexts/0/operations
echo 1 >$k/0/contexts/0/targets/nr_targets
echo 1 >$k/0/contexts/0/targets/0/regions/nr_regions
echo 1073741824 >$k/0/contexts/0/targets/0/regions/0/end
exits 1 "start beside a stranger's that does not run" tiermem policy damon start --cold 0:1
says "is refused" 'somebody else has set up kdamonds'
echo on >$k/0/state
his=$(cat $k/0/pid)
exits 1 "start beside a stranger's that runs" tiermem policy damon start --cold 0:1
exits 0 "stop leaves it alone" tiermem policy damon stop
says "and says so" 'not started'
emit_run foreign.json tiermem policy damon status --json
tap_is "$(cat $k/0/state) $(cat $k/0/pid)" "on $his" "it runs on"
echo off >$k/0/state
echo 0 >$k/nr_kdamonds

# He takes over what is ours.
tiermem policy damon start --cold 0:1 >/dev/null 2>&1
echo off >$k/0/state
echo on >$k/0/state
his=$(cat $k/0/pid)
exits 4 "stop of what somebody else has started again" tiermem policy damon stop
says "names it" 'somebody else has started it'
tap_is "$(cat $k/0/state) $(cat $k/0/pid)" "on $his" "it runs on"
exit 0
