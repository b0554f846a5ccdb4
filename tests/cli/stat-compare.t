#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem stat --compare` of saved measurements: tests/cli/stat/before.json and after.json have the shape, and about
# the figures, of a published kernel change that defers TLB flushes.
# shellcheck disable=SC2016 # programs for jq
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

before=tests/cli/stat/before.json
after=tests/cli/stat/after.json
valid_json 'the file before keeps to its schema' $before
valid_json 'the file after keeps to its schema' $after

# change FILE PROGRAM NAME: a copy of the file that jq has changed. It is given smaller numbers, as it keeps no 64 bits.
change()
{
	sed 's/18446744073709551/7/g' "$1" | jq "$2" >"$tmp/$3" || fail "jq $2"
}

tiermem stat --compare $before $after
golden stat-compare
ok '80 columns are enough' test "$(wc -L <"$out_file")" -le 80
tiermem stat --compare --json $before $after
golden stat-compare-json
valid_json '--json keeps to its schema'
is 'all 64 bits are kept' "$(grep -o '"median":[[:space:]]*18446744073709551613' "$out_file" | wc -l)" 1
tiermem stat --compare --csv $before $after
golden stat-compare-csv
is 'each line of --csv has as many fields' "$(awk -F, '{ print NF }' "$out_file" | sort -u)" 22
lines=$(wc -l <"$out_file")
tiermem stat --compare --csv --noheadings $before $after
is '--csv --noheadings' "$(wc -l <"$out_file")" $((lines - 1))
tiermem stat --compare -v --raw $before $after
is '--raw: no more than the table' "$(head -n 1 "$out_file")" 'COUNTER OF BEFORE AFTER CHANGE VERDICT'
is '--verbose: each row' "$(wc -l <"$out_file")" "$lines"
like '--raw: every digit' "$out" $'\n''pgfault system 18446744073709551613 18446744073709551608 0.0% larger'
like '--verbose: each CPU' "$out" $'\n''cpu0/TLB system 1340007 117007 -91.3% larger'

# ---- what is not known

row='.counters[] | select(.name == $name and .node == $node) | '
tiermem stat --compare --json $before $after
is 'denied on one side' "$(jq -c --arg name pgpromote_success --argjson node null \
	"$row"'[.before.reason, .after.reason, .after.median, .change_percent, .verdict]' "$out_file")" \
	'[null,"denied",null,null,null]'
is 'a node that is not there' "$(jq -c --arg name pgpromote_success --argjson node 0 \
	"$row"'[.before.runs, .after.runs, .after.reason]' "$out_file")" '[5,0,"offline"]'
is 'unsupported is not 0' "$(jq -c --arg name pgdemote_proactive --argjson node null \
	"$row"'[.before.reason, .before.median, .after.median]' "$out_file")" '["unsupported",null,0]'
is 'a change from 0 has no percentage' "$(jq -c --arg name pgmigrate_fail --argjson node null \
	"$row"'[.change_percent, .verdict]' "$out_file")" '[null,"within"]'
change $after 'del(.counters[] | select(.group == "events"))' no-events.json
tiermem stat --compare $before "$tmp/no-events.json"
like 'events that were not counted' "$out" $'\n''itlb.itlb_flush +system +40,417,078 +not-asked +n/a n/a'
change $after '(.counters[] | select(.group == "events") | .scope) = "command"' scope.json
tiermem stat --compare "$tmp/scope.json" $before
like 'those of a command are not those of the system' "$out" \
	$'\n''itlb.itlb_flush +command +3,316,495 +not-asked +n/a n/a'$'\n'
# One run of five without a value: four are too few.
change $after '(.counters[] | select(.name == "RES")) |= (.values[2] = null | .value_reasons[2] = "malformed")' \
	hole.json
tiermem stat --compare --json $before "$tmp/hole.json"
is 'a run without the counter' "$(jq -c --arg name RES --argjson node null \
	"$row"'[.after.runs, .after.reason, .verdict]' "$out_file")" '[4,null,"too-few-runs"]'

# ---- few and many runs

# runs N: a program that leaves N runs
runs()
{
	printf '.runs |= .[:%d] | .counters[] |= ((.values, .value_reasons, .values_scaled) |= .[:%d])' "$1" "$1"
}

change $after "$(runs 4)" four.json
tiermem stat --compare $before "$tmp/four.json"
like 'too few runs' "$out" $'\n''too few runs to say whether a change is larger than the spread of the runs:
5 before and 4 after; it takes 5 of each'$'\n'
unlike 'and no verdict' "$out" 'larger'$'\n'
exits 0 'is no failure'
change $after "$(runs 1)" one.json
tiermem stat --compare --json "$tmp/one.json" $before
valid_json 'one run'
is 'has no verdict' "$(jq -r '[.counters[].verdict] | unique | join(" ")' "$out_file")" ' too-few-runs'
change $after '.runs = [range(50) | {exit_code: 0, signal: null}] | .counters[] |=
	((.values, .value_reasons, .values_scaled) |= [range(50) as $i | .[$i % 5]])' fifty.json
tiermem stat --compare $before "$tmp/fifty.json"
like 'many runs' "$out" '\(Mann-Whitney U test, normal approximation, two-sided, p < 0.01\)'
tiermem stat --compare $before $before
unlike 'nothing has changed' "$out" ' larger'$'\n'

# ---- other machines

# differs NAME PROGRAM WHAT: after it the two are not comparable, and WHAT is why
differs()
{
	change $after "$2" other.json
	tiermem stat --compare $before "$tmp/other.json"
	like "not comparable: $1" "$status $out" $'^5 .*\nnot comparable: the machines differ in what matters\n'"$3"
	unlike "no verdict: $1" "$out" '(larger|within|%)'$'\n'
}

differs 'another CPU' '.machine.cpu_model = "AMD EPYC 9654"' \
	$'  CPU\n    before  Intel\(R\) [^\n]*\n    after   AMD EPYC 9654\n'
differs 'other CPUs online' '.machine.online_cpus = "0-14"' $'  online CPUs\n    before  0-15\n    after   0-14\n'
differs 'other pages' '.machine.page_size_bytes = 65536' $'  page size\n    before  4K\n    after   64K\n'
differs 'other nodes' '.machine.nodes[1].id = 2' $'  nodes with memory\n    before  0-1\n    after   0,2\n'
differs 'other memory' '.machine.nodes[1].memory_total_bytes = 52613349376' \
	$'  memory of node 1\n    before  98G\n    after   49G\n'
tiermem stat --compare $before "$tmp/other.json"
golden stat-compare-other
tiermem stat --compare --json $before "$tmp/other.json"
valid_json 'not comparable, as JSON'
is 'not comparable, as JSON' "$status $(jq -c '[.comparable, (.differences | length),
	([.counters[] | .change_percent, .p] | unique), ([.counters[].verdict] | unique)]' "$out_file")" \
	'5 [false,1,[null],[null,"not-comparable"]]'

# same NAME PROGRAM [NOTE]: after it they are as comparable
same()
{
	change $after "$2" other.json
	tiermem stat --compare $before "$tmp/other.json"
	like "comparable: $1" "$status $out" "^0 .*Mann-Whitney"
	like "and told: $1" "$out" "${3-}"
}

same 'a boot and a host of the same kind' '.host = "another" | .boot_id = "x"'
same 'a little less memory' '.machine.nodes[1].memory_total_bytes -= 1000000000'
same 'another command' '.command = ["./xs", "a\u001bb"]' \
	$'\n  command\n    before  XSBench -t 16 -p 50000000\n    after   ./xs a\\\\x1bb\n'
same 'runs that failed' '.runs[1].exit_code = 3 | .runs[2] = {exit_code: null, signal: 9}' \
	$'\n  runs that failed\n    before  0 of 5\n    after   2 of 5\n'
same 'a blind row' '.machine.blind = "no"' \
	$'\n  blind TLB row\n    before  kvm\n    after   no\n.*TLB row is blind before: KVM'
same 'an older tiermem did not ask' 'del(.machine.blind)' $'\n    after   unknown\n'
same 'whose events' '.events_of = "command"' $'\n  events of\n    before  system\n    after   command\n'
same 'an unknown CPU' '.machine.cpu_model = null' $'\n  CPU\n    before  Intel[^\n]*\n    after   unknown\n'
same 'keys of a newer tiermem' '.new = [1] | .machine.new = 1 | .counters[0].new = {}'

# ---- what is no such file

# refused NAME FILE-CONTENT WHY
refused()
{
	printf '%s' "$2" >"$tmp/bad.json"
	tiermem stat --compare $before "$tmp/bad.json"
	is "refused: $1" "$status $out${err%%$'\n'hint:*}" "1 tiermem stat: $tmp/bad.json: $3"
}

refused 'nothing' '' 'not a JSON document: it is empty'
whole=$(<$after)
tiermem stat --compare $before <(printf '%s' "${whole:0:2000}")
like 'refused: cut short' "$status $err" '^1 tiermem stat: /dev/fd/[0-9]+:.*'
refused 'another schema' '{"schema": "tiermem.topology/1"}' 'a tiermem.topology/1 document, and no tiermem.stat/1'
refused 'no schema' '[]' 'names no schema'

# damaged NAME PROGRAM WHY
damaged()
{
	change $after "$2" damaged.json
	refused "$1" "$(<"$tmp/damaged.json")" "$3: missing, or not as it should be"
}

damaged 'no runs' '.runs = []' runs
damaged 'a value too few' '.counters[3].values |= .[1:]' 'counters[3].values'
damaged 'a value below 0' '.counters[3].values[0] = -1' 'counters[3].values'
damaged 'a fraction' '.counters[3].values[0] = 1.5' 'counters[3].values'
damaged 'text for a number' '.counters[0].cpu = "0"' 'counters[0].cpu'
damaged 'a group that nobody knows' '.counters[2].group = "tides"' 'counters[2].group'
damaged 'no name' 'del(.counters[2].name)' 'counters[2].name'
damaged 'no machine' 'del(.machine)' machine
damaged 'a node without id' '.machine.nodes[0].id = null' machine.nodes.id
damaged 'a word of the command that is none' '.command[1] = 16' command
damaged 'an exit code beyond all' '.runs[0].exit_code = 256' runs.exit_code
change $after '.counters[5] = .counters[4]' damaged.json
refused 'a counter that is there twice' "$(<"$tmp/damaged.json")" 'counters[5].TLB is there twice'
refused 'more than 64 bits' "${whole/18446744073709551610/18446744073709551616}" \
	'counters[21].values: missing, or not as it should be'
tiermem stat --compare $before "$tmp/no/such"
is 'no such file' "$status $err" "1 tiermem stat: $tmp/no/such: No such file or directory"
tiermem stat --compare $before tests
is 'a folder' "$status $err" '1 tiermem stat: tests: Is a directory'
tiermem stat --compare --json $before "$tmp/bad.json"
valid_json 'with --json, as JSON'

# usage WHY ARG...
usage()
{
	local why=$1

	shift
	tiermem stat "$@"
	is "usage: ${*//$before/FILE}" "$status $out$err" "2 tiermem stat: $why"
}

usage '--compare: needs two files, BEFORE and AFTER' --compare
usage '--compare: needs two files, BEFORE and AFTER' --compare $before
usage $'--compare: needs two files, BEFORE and AFTER\nhint: options stand before the files' --compare $before $before -v
usage '--repeat: not together with --compare' --compare -r 3 $before $before
usage '--event: not together with --compare' --compare -e x $before $before
tiermem stat --compare --csv --json $before $before
is '--csv or --json' "$status $err" '2 tiermem stat: --csv: not together with --json'
usage '--root: --compare reads no machine' --compare --root / $before $before
usage '--csv: only with --compare' --csv -- true

done_testing
