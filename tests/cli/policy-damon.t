#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tiermem policy damon, on captured machines with a folder that looks like DAMON's. What the kernel makes of it is for
# tests/vm/damon-*.t.

# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

admin=sys/kernel/mm/damon/admin/kdamonds

# damon ROOT KDAMONDS SCHEMES: no kdamond is set up, but the folders that the number will make are there
damon()
{
	local k s d

	mkdir -p "$1/$admin"
	echo 0 >"$1/$admin/nr_kdamonds"
	for ((k = 0; k < $2; k++)); do
		d=$1/$admin/$k
		mkdir -p "$d"/contexts/0/{monitoring_attrs/intervals,targets/0/regions/{0,1},schemes}
		echo off >"$d/state"
		echo $((4000 + k)) >"$d/pid"
		for s in contexts/nr_contexts contexts/0/{monitoring_attrs/intervals/{sample,aggr,update}_us,operations} \
			contexts/0/targets/{nr_targets,0/regions/{nr_regions,{0,1}/{start,end}}} contexts/0/schemes/nr_schemes; do
			echo 0 >"$d/$s"
		done
		for ((s = 0; s < $3; s++)); do
			scheme "$d/contexts/0/schemes/$s"
		done
	done
}

scheme()
{
	local file

	mkdir -p "$1"/{access_pattern/{sz,nr_accesses,age},quotas/weights,filters/0,stats}
	for file in action target_nid access_pattern/{sz,nr_accesses,age}/{min,max} \
		quotas/{bytes,reset_interval_ms,weights/{nr_accesses,age}_permil} filters/nr_filters \
		stats/{nr,sz}_{tried,applied} stats/qt_exceeds; do
		echo 0 >"$1/$file"
	done
	for file in type matching memcg_path; do
		echo N >"$1/filters/0/$file"
	done
}

# What the files say, one line each
tree()
{
	(cd "$1/$admin" && grep -r . . | sort)
}

# changed JSON: "path value", below DAMON's folder
changed()
{
	jq -r '.changes[] | "\(.path | sub(".*/kdamonds/"; "")) \(.to)"' "$1"
}

root=$(machine two-tier)
damon "$root" 2 2
before=$(tree "$root")

# --- what is refused, in words, before anything is read or written

usage()
{
	tiermem --root "$root" policy damon "${@:2}"
	exits 2 "refused: ${*:2}"
	like "the reason: ${*:2}" "$err" "$1"
}
usage "needs start"
usage "'begin' is none of its values" begin
usage "needs --cold, --hot, or both" start
usage "not of the form FROM:TO" start --cold 0
usage "not of the form FROM:TO" start --cold 0:
usage "not of the form FROM:TO" start --cold 0:1:2
usage "not of the form FROM:TO" start --cold=-1:2
usage "not of the form FROM:TO" start --cold 0:1,
usage "not of the form FROM:TO" start --cold 99999999999:1
usage "from a node to itself" start --hot 1:1
usage "--cold: node 0 is given twice" start --cold 0:1,0:2
usage "both 0:2, which moves everything" start --cold 0:2 --hot 0:2
usage "node 9 is not there" start --cold 0:9
usage "nodes with memory: 0-3" start --hot 9:0
for quota in 1G 1G/ /1s 1G/1 0/1s 1G/0s 1X/1s 1G/100us 1G/99999999s; do
	usage "not of the form BYTES/INTERVAL" start --cold 0:2 --quota "$quota"
done
for interval in 5ms 5ms/100ms 5ms/100ms/1s/1s 5ms//1s 0ms/100ms/1s 5/100/1000; do
	usage "not of the form SAMPLE/AGGREGATION/UPDATE" start --cold 0:2 --interval "$interval"
done
usage "samples are taken within an aggregation" start --cold 0:2 --interval 1s/100ms/1s
usage "not the path of a control group" start --cold 0:2 --cgroup /
usage "not the path of a control group" start --cold 0:2 --cgroup /a/../b
usage "not the path of a control group" start --cold 0:2 --cgroup /sys/fs/cgroup
usage "--cold: not with stop" stop --cold 0:1
usage "status changes nothing" status --dry-run
is "nothing was written" "$(tree "$root")" "$before"

# --- the plan

tiermem --root "$root" policy damon start --cold 0:2,1:3 --dry-run --json
exits 0 "a dry run"
valid_json "its plan keeps to the schema"
is "a kdamond for each source, started when all is described" "$(changed "$out_file" | grep -E 'nr_kdamonds|state')" \
	$'nr_kdamonds 2\n0/state on\n1/state on'
is "each watches its own node" "$(changed "$out_file" | grep -E '^[01]/.*regions/')" \
	"0/contexts/0/targets/0/regions/nr_regions 2
0/contexts/0/targets/0/regions/0/start 0
0/contexts/0/targets/0/regions/0/end 2147483648
0/contexts/0/targets/0/regions/1/start 4294967296
0/contexts/0/targets/0/regions/1/end 277025390592
1/contexts/0/targets/0/regions/nr_regions 1
1/contexts/0/targets/0/regions/0/start 277025390592
1/contexts/0/targets/0/regions/0/end 551903297536"
is "cold memory, whole ranges" "$(changed "$out_file" | sed -n 's,^0/contexts/0/schemes/0/,,p')" \
	"action migrate_cold
target_nid 2
access_pattern/sz/min 4096
access_pattern/sz/max 18446744073709551615
access_pattern/nr_accesses/min 0
access_pattern/nr_accesses/max 0
access_pattern/age/min 50
access_pattern/age/max 4294967295
quotas/bytes 268435456
quotas/reset_interval_ms 1000
quotas/weights/nr_accesses_permil 500
quotas/weights/age_permil 500"
is "the kinds of change" "$(jq -c '[.changes[].kind] | unique' "$out_file")" '["set","trigger"]'
is "nothing was written by it" "$(tree "$root")" "$before"
is "nor anything kept" "$(ls "$root/run" 2>/dev/null)" ""

tiermem --root "$root" policy damon start --hot 2:0 --cold 2:1 --quota none --interval 10ms/200ms/2s \
	--cgroup /sys/fs/cgroup/db/ --dry-run --json
exits 0 "both from one node"
is "are two schemes of one kdamond" "$(changed "$out_file" | grep -E 'nr_kdamonds|nr_schemes|action|_us|nr_acc|age|memcg_path')" \
	"nr_kdamonds 1
0/contexts/0/monitoring_attrs/intervals/sample_us 10000
0/contexts/0/monitoring_attrs/intervals/aggr_us 200000
0/contexts/0/monitoring_attrs/intervals/update_us 2000000
0/contexts/0/schemes/nr_schemes 2
0/contexts/0/schemes/0/action migrate_cold
0/contexts/0/schemes/0/access_pattern/nr_accesses/min 0
0/contexts/0/schemes/0/access_pattern/nr_accesses/max 0
0/contexts/0/schemes/0/access_pattern/age/min 25
0/contexts/0/schemes/0/access_pattern/age/max 4294967295
0/contexts/0/schemes/0/filters/0/memcg_path /db
0/contexts/0/schemes/1/action migrate_hot
0/contexts/0/schemes/1/access_pattern/nr_accesses/min 2
0/contexts/0/schemes/1/access_pattern/nr_accesses/max 4294967295
0/contexts/0/schemes/1/access_pattern/age/min 1
0/contexts/0/schemes/1/access_pattern/age/max 4294967295
0/contexts/0/schemes/1/filters/0/memcg_path /db"
unlike "no quota" "$out" "quotas"
for group in db/x /db/x/ /sys/fs/cgroup/db/x /sys/fs/cgroup/memory/db/x; do
	tiermem --root "$root" policy damon start --cold 0:2 --cgroup "$group" --dry-run --json
	is "the group $group" "$(changed "$out_file" | sed -n 's,.*memcg_path ,,p')" /db/x
done
tiermem --root "$root" policy damon start --cold 2:1 --dry-run
like "cold memory to a faster tier is told of" "$err" "--cold: 2:1: node 1 is of a faster tier than node 2"

# --- start, status, stop

tiermem --root "$root" policy damon start --cold 0:2,1:3
exits 0 "start"
is "both run" "$(cat "$root/$admin"/{nr_kdamonds,{0,1}/state} | tr '\n' ' ')" "2 on on "
tiermem --root "$root" policy damon start --hot 2:0
exits 1 "another start"
like "is refused" "$err" "kdamond 0 was started by tiermem before"
like "and told what to do" "$err" "tiermem policy damon stop"
echo 12345 >"$root/$admin/0/contexts/0/schemes/0/stats/sz_applied"
tiermem --root "$root" policy damon status --json
exits 0 "status"
valid_json "status keeps to its schema"
is "what it says" "$(jq -c '.kdamonds[] | [.id, .state, .pid, .ours, .stats_refreshed]' "$out_file" | tr '\n' ' ')" \
	'[0,"on",4000,true,false] [1,"on",4001,true,false] '
is "counters" "$(jq -c '.kdamonds[0].schemes[0] | [.action, .target_node, .applied_bytes]' "$out_file")" \
	'["migrate_cold",2,12345]'
is "a captured machine's state is not written to" "$(cat "$root/$admin/0/state")" on
tiermem --root "$root" policy damon status
exits 0 "status as text"
like "fits" "$out" "migrate_cold"
is "in 80 columns" "$(awk 'length > 80' "$out_file")" ""
like "with regions" "$out" "0x80000000"
tiermem --root "$root" policy damon status --raw --noheadings
is "bare rows are of schemes alone" "$(wc -l <"$out_file" | tr -d ' ')" 2

tiermem --root "$root" policy damon stop --dry-run
exits 0 "stop, a dry run"
is "still runs" "$(cat "$root/$admin/0/state")" on
# Another plan does not make it forgotten.
tiermem --root "$root" policy set zone-reclaim-mode=1
tiermem --root "$root" policy damon stop --json
exits 0 "stop"
valid_json "stop keeps to the plan's schema"
is "none runs" "$(cat "$root/$admin"/{nr_kdamonds,{0,1}/state} | tr '\n' ' ')" "0 off off "
tiermem --root "$root" policy damon stop
is "once is enough" "$out" "nothing to stop: tiermem has started no kdamond that is there"

# `undo` right after start ends it, and after stop there is nothing to undo.
tiermem --root "$root" policy damon start --cold 0:2
tiermem --root "$root" undo
exits 0 "undo"
is "it is ended" "$(cat "$root/$admin"/{nr_kdamonds,0/state} | tr '\n' ' ')" "0 off "
echo 1 >"$root/$admin/nr_kdamonds"
echo on >"$root/$admin/0/state"
tiermem --root "$root" policy damon stop
exits 0 "stop after undo has nothing to do with what others started since"
is "and leaves it alone" "$(cat "$root/$admin"/{nr_kdamonds,0/state} | tr '\n' ' ')" "1 on "
echo off >"$root/$admin/0/state"
echo 0 >"$root/$admin/nr_kdamonds"
tiermem --root "$root" policy damon start --cold 0:2
tiermem --root "$root" policy damon stop
tiermem --root "$root" undo
exits 1 "undo after stop"
like "has nothing to do" "$err" "there is nothing to undo"

# --- others

echo 1 >"$root/$admin/nr_kdamonds"
before=$(tree "$root")
for state in off on; do
	echo $state >"$root/$admin/0/state"
	tiermem --root "$root" policy damon start --cold 0:2
	exits 1 "start beside a stranger's that is $state"
	like "says so ($state)" "$err" "somebody else has set up kdamonds"
	tiermem --root "$root" policy damon stop
	exits 0 "stop beside it ($state)"
	like "leaves it alone ($state)" "$err" "not started"
	is "as it was ($state)" "$(cat "$root/$admin"/{nr_kdamonds,0/state} | tr '\n' ' ')" "1 $state "
done
echo off >"$root/$admin/0/state"
is "nothing was written to it" "$(tree "$root")" "$before"
echo 0 >"$root/$admin/nr_kdamonds"

# Ours, and then not any more.
tiermem --root "$root" policy damon start --cold 0:2
echo 7777 >"$root/$admin/0/pid"
tiermem --root "$root" policy damon status --json
is "another process is not ours" "$(jq '.kdamonds[0].ours' "$out_file")" false
tiermem --root "$root" policy damon stop
exits 4 "stop of what somebody else has started"
like "names both" "$err" "kdamonds/0/pid is 7777, not 4000"
is "it runs on" "$(cat "$root/$admin"/{nr_kdamonds,0/state} | tr '\n' ' ')" "1 on "
echo off >"$root/$admin/0/state"
echo 0 >"$root/$admin/nr_kdamonds"
tiermem --root "$root" policy damon stop
exits 0 "and is not asked about again"

# A file that is not there: all that was done before is taken back.
rm "$root/$admin/0/contexts/0/schemes/0/access_pattern/age/max"
tiermem --root "$root" policy damon start --cold 0:2
exits 1 "a file is missing"
like "it is named" "$err" "access_pattern/age/max"
is "all is taken back" "$(cat "$root/$admin"/{nr_kdamonds,0/state} | tr '\n' ' ')" "0 off "
tiermem --root "$root" policy damon status
is "no kdamonds" "$out" "no kdamonds"

# --- modules of the kernel's own

mkdir -p "$root"/sys/module/damon_{reclaim,stat}/parameters
echo Y >"$root/sys/module/damon_reclaim/parameters/enabled"
tiermem --root "$root" policy damon start --cold 0:2
exits 1 "DAMON_RECLAIM runs"
like "it is named" "$err" "damon_reclaim runs, and the kernel starts nothing beside it"
like "and how to end it" "$err" "echo N > /sys/module/damon_reclaim/parameters/enabled"
echo N >"$root/sys/module/damon_reclaim/parameters/enabled"
echo Y >"$root/sys/module/damon_stat/parameters/enabled"
echo 0 >"$root/$admin/0/contexts/0/schemes/0/access_pattern/age/max"
tiermem --root "$root" policy damon start --cold 0:2
exits 0 "DAMON_STAT only watches"
like "that it rests is told" "$err" "DAMON_STAT only watches"
is "and rests" "$(cat "$root/sys/module/damon_stat/parameters/enabled")" false
tiermem --root "$root" policy damon stop
is "until stop" "$(cat "$root/sys/module/damon_stat/parameters/enabled")" true

# --- machines that lack it

old=$(machine stale-weights)
rm -rf "$old/sys/kernel/mm/damon"
tiermem --root "$old" policy damon start --cold 0:1
exits 3 "no DAMON"
like "with the kernel's version" "$err" "kernel [0-9][^ ]* has no DAMON"
tiermem --root "$old" policy damon status --json
exits 3 "nothing to show"
valid_json "as JSON too"
echo 6.10.3-amd64 >"$root/proc/sys/kernel/osrelease"
tiermem --root "$root" policy damon start --cold 0:2
exits 3 "a kernel before 6.11"
like "with its version" "$err" "kernel 6.10.3-amd64 has DAMON, but no migrate_hot"
echo 6.16.9-amd64 >"$root/proc/sys/kernel/osrelease"

# Nodes that the kernel would take, and then move nothing.
for case in "memory-offline" "offline-node" "cpu-only-and-hbm"; do
	other=$(machine "$case")
	damon "$other" 1 1
	memory=$(cat "$other/sys/devices/system/node/has_memory")
	for node in $(seq 0 9); do
		[[ -d $other/sys/devices/system/node/node$node ]] || continue
		"$TIERMEM" topology --root "$other" --json |
			jq -e ".nodes[] | select(.id == $node) | .memory_total_bytes == 0" >/dev/null || continue
		tiermem --root "$other" policy damon start --cold "${memory:0:1}:$node"
		exits 2 "$case: node $node takes nothing"
		like "$case: it is said why" "$err" "node $node (is offline|has no memory)"
	done
done

chmod 0 "$root/$admin/nr_kdamonds"
tiermem --root "$root" policy damon start --cold 0:2
exits 1 "denied"
like "it is root's" "$err" "DAMON is root's alone"

done_testing
