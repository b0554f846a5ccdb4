#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench report` of saved results. Those in tests/cli/bench were written by hand: what they say is measured
# nowhere, and so the same everywhere.
# shellcheck disable=SC2016 # programs for jq
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

folder=tests/cli/bench
before=$folder/fault-before.json
after=$folder/fault-after.json
for file in "$folder"/*.json; do
	valid_json "$file keeps to its schema" "$file"
done

# change FILE PROGRAM NAME: a copy of the file that jq has changed
change()
{
	jq "$2" "$1" >"$tmp/$3" || fail "jq $2"
}

# Lines of a table are of one length, in characters: checked of the last run's output.
cat >"$tmp/aligned" <<'END'
import sys
width = None
for line in open(sys.argv[1], encoding="utf-8"):
    line = line.rstrip("\n")
    if not line.startswith("|"):
        width = None
    elif width is None:
        width = len(line)
    elif width != len(line):
        sys.exit(f"{len(line)} columns, not {width}: {line}")
END

# A page is well-formed XML, and a parser of HTML finds each element closed. It has no script, and neither loads nor
# links to anything.
cat >"$tmp/page" <<'END'
import html.parser
import re
import sys
import xml.etree.ElementTree

text = open(sys.argv[1], encoding="utf-8").read()
xml.etree.ElementTree.fromstring(text)
stack = []


class Parser(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        if tag in ("script", "link", "iframe", "img", "object", "embed", "base", "a"):
            sys.exit(f"<{tag}> in it")
        for name, value in attributes:
            if name.startswith("on") or name in ("src", "href", "style"):
                sys.exit(f"{name}={value} in it")
        if tag != "meta":
            stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag != "meta":
            stack.pop()

    def handle_endtag(self, tag):
        if not stack or stack.pop() != tag:
            sys.exit(f"</{tag}> closes nothing")


parser = Parser()
parser.feed(text)
parser.close()
if stack:
    sys.exit(f"left open: {stack}")
for place in re.findall(r"url\(|@import|//\S*", text):
    if not place.startswith("//www.w3.org/2000/svg"):
        sys.exit(f"{place} in it")
END

# ---- Markdown

tiermem bench report $folder/latency.json
golden bench-report-latency
ok 'tables are aligned' /usr/bin/python3 "$tmp/aligned" "$out_file"
tiermem bench report $folder/migrate.json $folder/bandwidth.json
golden bench-report
ok 'tables of several files are aligned' /usr/bin/python3 "$tmp/aligned" "$out_file"
like 'a figure with a note is marked' "$out" '\| +610000 \[1\] \|.*'$'\n''- \[1\] busy: '
like 'an unknown figure is not 0, and has no column where all are' "$out" 'SHOOTDOWNS \|  IPIS \| READS'
change $folder/migrate.json '.cases[].metrics += [.cases[0].metrics[4] | .key = ("deferred_per_page", "forced_per_page")]' \
	deferred.json
tiermem bench report "$tmp/deferred.json"
like 'figures of few kernels have a column where there are some' "$out" 'IPIS \| DEFERRED \| FORCED \| READS'
tiermem bench report $folder/migrate.json $folder/bandwidth.json
like 'each machine once' "$out" '## Machine 1'$'\n''.*vm\\\|one.*## Machine 2'$'\n'
like 'and which it was' "$out" '## bandwidth: [^#]*On machine 2\.'
like 'why a case was not measured' "$out" '\| +- \[1\] \|.*- \[1\] not measured: this kernel has no weighted interleave'
change $folder/latency.json '.cases[0].place.misplaced_bytes = 1048576' misplaced.json
tiermem bench report "$tmp/misplaced.json"
like 'what is misplaced is told though no note says it' "$out" \
	'105\.2 \[1\].*- \[1\] misplaced: 1M on other nodes than asked for'
tiermem bench report - <$folder/latency.json
like 'from standard input' "$status $out" '^0 .*## latency: -'

# ---- what people and files may put into it

change $folder/fault-before.json '.host = "<script>alert(1)</script>" | .kernel = "a|b`c*d_e_f\u001b[2J" |
	.conditions.x = "<img src=x> & [a](b)" | .cases[0].labels.memory = "<b>\"|" |
	.cases[0].notes = ["</li></ul><script>"] | .machine.cpu_model = "~_x_~"' hostile.json
tiermem bench report "$tmp/hostile.json"
unlike 'Markdown: no element' "$out" '(^|[^\\])<(script|img|b|/)'
unlike 'no control character' "$out" $'\033'
like 'Markdown: escaped' "$out" 'a\\\|b\\`c\\\*d_e_f\\\\x1b\\\[2J'
ok 'and aligned' /usr/bin/python3 "$tmp/aligned" "$out_file"
tiermem bench report -F html "$tmp/hostile.json"
ok 'HTML: well-formed all the same' /usr/bin/python3 "$tmp/page" "$out_file"
unlike 'HTML: no element' "$out" '<(script|img)'
tiermem bench report --json "$tmp/hostile.json"
valid_json 'JSON: valid all the same'

# ---- HTML

tiermem bench report --format html $folder/*.json
exits 0 'HTML of all kinds'
ok 'is well-formed, and needs no other file' /usr/bin/python3 "$tmp/page" "$out_file"
is 'a curve of latency under load' "$(grep -c '<polyline' "$out_file")" 2
is 'bars with whiskers' "$(($(grep -c 'class="whisker"' "$out_file") > 20))" 1
like 'for light and dark' "$out" 'prefers-color-scheme: dark'
tiermem bench report --format html --compare $before $after
golden bench-report-html
ok 'of a comparison too' /usr/bin/python3 "$tmp/page" "$out_file"

# ---- JSON

tiermem bench report --json $folder/*.json
valid_json 'JSON of all kinds'
is 'the results in the order of the files' "$(jq -c '[.results[].benchmark]' "$out_file")" \
	'["bandwidth","fault","fault","latency","migrate"]'
is 'a median' "$(jq -c '.results[3].cases[0].metrics[0] | [.key, .better, .repeats, .median]' "$out_file")" \
	'["latency_ns","lower",5,105.2]'
is 'nothing more without being asked' "$(jq -c '[.topology, .comparison]' "$out_file")" '[null,null]'
cp "$out_file" "$tmp/json"
tiermem bench report --format json $folder/*.json
is '--format json is --json' "$(jq -c 'del(.time)' "$out_file")" "$(jq -c 'del(.time)' "$tmp/json")"

# ---- comparing

tiermem bench report --compare $before $after
golden bench-report-compare
ok 'its tables are aligned' /usr/bin/python3 "$tmp/aligned" "$out_file"
tiermem bench report $before $after --compare
exits 0 '--compare may stand last'
tiermem bench report --compare --verbose $before $after
like '--verbose: figures that are neither good nor bad' "$out" $'\n''## BYTES/FAULT'$'\n'
tiermem bench report --compare --json $before $after
valid_json '--compare --json'
verdict='[.comparison.cases[] | select(.labels.memory == $memory and .labels.page_bytes == $page) |
	.in, (.metrics[] | select(.key == $key) | .verdict, .change_percent)]'
# verdict NAME MEMORY PAGE KEY WANTED
verdict()
{
	is "$1" "$(jq -c --arg memory "$2" --argjson page "$3" --arg key "$4" "$verdict" "$out_file")" "$5"
}

verdict 'more a second is better' shared 65536 pages_per_second '["both","better",269.231]'
verdict 'less is worse' shared null pages_per_second '["both","worse",-25]'
verdict 'more time is worse' shared null system_s '["both","worse",27.6596]'
verdict 'what overlaps is within' private null pages_per_second '["both","within",-0.47619]'
verdict 'what is neither has changed' shared 65536 bytes_per_fault '["both","changed",1500]'
verdict 'only before' memfd null pages_per_second '["before",null,null]'
verdict 'only after' tmpfs null pages_per_second '["after",null,null]'
verdict 'not measured' private 65536 pages_per_second '["both",null,null]'
is 'with the reason' "$(jq -c '.comparison.cases[] | select(.notes.after[0] == "this kernel has no such size") |
	.labels.page_bytes' "$out_file")" 65536
is 'by the test that stat has' "$(jq -c '.comparison.cases[1].metrics[0] | [.u, .exact, (.p < 0.01)]' "$out_file")" \
	'[0,true,true]'
# The order counts, not how large the numbers are.
change $before '.cases[0].metrics[1].values = [1e-9, 1.1e-9, 1.2e-9, 1.3e-9, 1.4e-9]' small.json
change $before '.cases[0].metrics[1].values = [1.5e-9, 1.6e-9, 1.7e-9, 1.8e-9, 1.9e-9]' less-small.json
tiermem bench report --compare --json "$tmp/small.json" "$tmp/less-small.json"
verdict 'small numbers' private null user_s '["both","worse",41.6667]'
change $before '(.cases[].metrics[].values) |= .[:4]' four.json
tiermem bench report --compare "$tmp/four.json" $after
like 'too few repeats' "$out" '\| too few \|.*it takes 5 before and after'
unlike 'are not judged' "$out" '\| (better|worse|within) '
tiermem bench report --compare $before $before
unlike 'nothing has changed' "$out" '\| (better|worse) '
change $before '.cases |= [.[0], (.[0] | .metrics[0].values = [1, 2, 3, 4, 5])]' twice.json
tiermem bench report --compare --json "$tmp/twice.json" "$tmp/twice.json"
is 'cases with the same labels are paired in their order' \
	"$(jq -c '[.comparison.cases[] | .in, .metrics[0].after.median == (2100000, 3)]' "$out_file")" \
	'["both",true,false,"both",false,true]'

# differs NAME PROGRAM WHAT: after it the two are not comparable, and WHAT is why
differs()
{
	change $after "$2" other.json
	tiermem bench report --compare $before "$tmp/other.json"
	like "not comparable: $1" "$status $out" \
		$'^5 .*\nNot comparable: the machines differ in what matters\..*\n'"\\| $3"
	unlike "no verdict: $1" "$out" '\| (better|worse|within) '
}

differs 'another CPU' '.machine.cpu_model = "x"' 'CPU +\| AMD[^|]*\| x '
differs 'other pages' '.machine.page_size_bytes = 65536' 'page size +\| 4K +\| 64K '
differs 'other nodes' '.machine.nodes[1].id = 1' 'nodes with memory +\| 0,2 +\| 0-1 '
tiermem bench report --compare --json $before "$tmp/other.json"
valid_json 'not comparable, as JSON'
is 'not comparable, as JSON' "$status $(jq -c '[.comparison.comparable, (.comparison.differences | length),
	([.comparison.cases[].metrics[] | .verdict] | unique), .comparison.cases[0].metrics[0].after.median == 2090000]' "$out_file")" \
	'5 [false,1,[null,"not-comparable"],true]'
change $after '.conditions.load_average = "9 9 9" | .kernel = "6.12.48"' other.json
tiermem bench report --compare $before "$tmp/other.json"
unlike 'no two loads are alike' "$out" 'load average'
change $after '.quick = true' other.json
tiermem bench report --compare $before "$tmp/other.json"
like '--quick on one side' "$out" '\| quick +\| no +\| yes '

# ---- topology

tiermem bench report --root "$(machine interleave-3way)" $folder/latency.json
like 'with --root the topology of that machine' "$out" \
	'## Topology.*No result was measured on this host.*\| +1 \| cxl +\| +28 \|'
tiermem bench report --json --root "$(machine interleave-3way)" $folder/latency.json
valid_json '--root, as JSON'
is 'its figures' "$(jq -c '.topology.nodes[1] | [.kind, .tier, .read_bandwidth_mbps, .complete]' "$out_file")" \
	'["cxl",28,76800,true]'
tiermem bench report --topology $folder/latency.json
like '--topology: that of this machine' "$out" '## Topology'
tiermem topology --json
if [[ $(jq -r '.host and .boot_id' "$out_file") == true ]]; then
	jq --slurpfile here "$out_file" '.host = $here[0].host | .boot_id = $here[0].boot_id' $folder/latency.json \
		>"$tmp/here.json"
	tiermem bench report "$tmp/here.json"
	like 'measured here: with the topology' "$out" '## Topology'
	change "$tmp/here.json" '.boot_id = "another"' earlier.json
	tiermem bench report "$tmp/earlier.json"
	unlike 'before this boot: without' "$out" '## Topology'
else
	skip 'measured here' 'this machine has no host name or boot id'
fi

# ---- files

tiermem bench report --output "$tmp/report.md" $folder/latency.json
is '--output: nothing else is printed' "$status $out$err" '0 '
ok 'and it is the same' cmp "$tmp/report.md" tests/cli/golden/bench-report-latency.out
tiermem bench report --output "$tmp/report.md" $folder/migrate.json
like 'what is there is kept' "$status $err" '^1 .*report\.md: File exists'$'\n''hint: --force replaces it'
ok 'as it was' cmp "$tmp/report.md" tests/cli/golden/bench-report-latency.out
tiermem bench report --force --output "$tmp/report.md" --json $folder/migrate.json
is '--force' "$status $out" '0 '
valid_json 'the file is JSON' "$tmp/report.md"
mkdir "$tmp/empty"
tiermem bench report --output "$tmp/empty/report.md" $folder/latency.json "$tmp/nothing"
is 'a file that cannot be read' "$status $out$err" "1 tiermem bench report: $tmp/nothing: No such file or directory"
is 'nothing is half-written' "$(ls -A "$tmp/empty")" ''

# refused NAME FILE-CONTENT WHY: after a good file
refused()
{
	printf '%s' "$2" >"$tmp/bad.json"
	tiermem bench report $folder/latency.json "$tmp/bad.json"
	is "refused: $1" "$status $out${err%%$'\n'hint:*}" "1 tiermem bench report: $tmp/bad.json: $3"
}

refused 'nothing' '' 'not a JSON document: it is empty'
refused 'another schema' '{"schema": "tiermem.topology/1"}' 'a tiermem.topology/1 document, and no tiermem.bench/1'
refused 'no schema' '[]' 'names no schema'
whole=$(<$folder/latency.json)
printf '%s' "${whole:0:3000}" >"$tmp/cut.json"
tiermem bench report "$tmp/cut.json"
like 'refused: cut short' "$status $out$err" "^1 tiermem bench report: $tmp/cut.json: "

# damaged NAME PROGRAM WHY
damaged()
{
	change $folder/migrate.json "$2" damaged.json
	refused "$1" "$(<"$tmp/damaged.json")" "$3: missing, or not as it should be"
}

damaged 'text for a number' '.cases[0].labels.batch = "1"' 'cases[0].labels.batch'
damaged 'a number for text' '.cases[1].labels.mapping = 1' 'cases[1].labels.mapping'
damaged 'a value that is text' '.cases[0].metrics[1].values[0] = "1"' 'cases[0].metrics[1].values'
damaged 'a value too few' '.cases[0].metrics[1].values |= .[1:]' 'cases[0].metrics[1].values'
damaged 'no figures' 'del(.cases[0].metrics)' 'cases[0].metrics'
damaged 'no machine' 'del(.machine)' machine
damaged 'a node below 0' '.cases[0].place.nodes[0].node = -1' 'cases[0].place.nodes.node'
damaged 'a page that there is not' '.cases[0].page.asked = "large"' 'cases[0].page.asked'
damaged 'a note that is none' '.cases[0].notes = [1]' 'cases[0].notes'
damaged 'a time that is none' '.time = "noon"' time
damaged 'a condition that is none' '.conditions.cpus = 1' conditions.cpus
damaged 'a counter with a run too few' '.cases[0].counters += [.cases[0].counters[0] | .values |= .[1:]]' \
	'cases[0]: counters[1].values'
change $folder/migrate.json '.cases[0].metrics += [.cases[0].metrics[0]]' damaged.json
refused 'a figure that is there twice' "$(<"$tmp/damaged.json")" 'cases[0].metrics[10].pages_per_second is there twice'
change $folder/migrate.json '.benchmark = "tides"' damaged.json
refused 'a benchmark that nobody knows' "$(<"$tmp/damaged.json")" "'tides' is no benchmark of this tiermem"
tiermem bench report --json "$tmp/bad.json"
valid_json 'with --json, as JSON'
change $folder/migrate.json '.new = [1] | .machine.new = 1 | .cases[].new = {} | .cases[].labels.new = "x" |
	.cases[].metrics += [{key: "new", values: [1]}] | del(.cases[].metrics[0])' newer.json
tiermem bench report "$tmp/newer.json"
like 'what a newer tiermem adds is passed over, what is missing unknown' "$status $out" '^0 .*\| BATCH \| MOVED '

# What a benchmark writes is what is read.
tiermem bench lookup --time 0.01 --repeat 3 --size 1M --threads 1 --save "$tmp/lookup.json"
exits 0 'a benchmark'
tiermem bench report --json "$tmp/lookup.json"
valid_json 'its report'
# As numbers: jq 1.7 prints them as they were written.
is 'has the same median' "$(jq '.results[0].cases[0].metrics[0].median + 0' "$out_file")" \
	"$(jq '.cases[0].metrics[0].median + 0' "$tmp/lookup.json")"

# usage WHY ARG...
usage()
{
	local why=$1

	shift
	tiermem bench report "$@"
	is "usage: ${*//$before/FILE}" "$status $out${err%%$'\n'hint:*}" "2 tiermem bench report: $why"
}

usage '--compare: needs two files, BEFORE and AFTER' --compare $before
usage '--compare: needs two files, BEFORE and AFTER' --compare $before $before $before
usage '--force: replaces the file of --output' --force $before
tiermem bench report --json --format html $before
is '--json or HTML' "$status $err" '2 tiermem bench report: --format: not together with --json'
tiermem bench report --compare $before $folder/latency.json
is 'two benchmarks cannot be compared' "$status $out$err" \
	"1 tiermem bench report: $folder/latency.json: is of latency, and $before is of fault"

done_testing
