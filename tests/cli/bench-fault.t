#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem bench fault`: what is touched, how many faults that takes without huge pages, and what is refused. Settings
# are changed in the virtual machine alone.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

short=(--time 0.01 --repeat 2)

of()
{
	jq -c "$1" "$out_file"
}

figures()
{
	of "[.cases[].metrics[] | select(.key == \"$1\").values[]]"
}

tiermem bench fault --help
golden bench-fault-help

# ---- kinds of memory

kinds=(--private --shared --memfd)
names='["private","shared","memfd"]'
# Some containers have but little of it.
if [[ $(stat -f -c %T /dev/shm 2>/dev/null) == tmpfs && $(($(stat -f -c '%a * %S' /dev/shm))) -gt 4000000 ]] &&
	touch "/dev/shm/${tmp##*/}" 2>/dev/null; then
	rm -f "/dev/shm/${tmp##*/}"
	kinds+=(--tmpfs)
	names='["private","shared","memfd","tmpfs"]'
fi
tiermem bench fault "${short[@]}" "${kinds[@]}" --base --size 1M --threads 2 --json
exits 0 "without huge pages: ${kinds[*]}"
valid_json 'keeps to the schema'
is 'of what' "$(of '[.cases[].labels.memory]')" "$names"
page=$(of .machine.page_size_bytes)
is 'as asked for' "$(of '[.cases[].labels | [.page_bytes, .threads, .size_bytes]] | unique')" "[[$page,2,1048576]]"
is 'every page in every pass' "$(figures pages | jq -c unique)" "[$((1048576 / page))]"
# A sanitizer touches memory of its own beside each page.
is 'a fault for each' "$(figures faults | jq -c "map(. >= $((1048576 / page)) and . <= $((1048576 * 3 / 2 / page))) | unique")" '[true]'
is 'and it brings a page' "$(figures bytes_per_fault | jq -c "map(. > $((page / 2)) and . <= $page) | unique")" '[true]'
is 'rates agree with counts' "$(of '[.cases[].metrics | map({(.key): .values[0]}) | add |
	(.faults_per_second / .pages_per_second) / (.faults / .pages) | . > 0.999 and . < 1.001] | unique')" '[true]'
is 'figures of time are there' "$(of '[.cases[].metrics[] | select(.key | test("_s$|_second$")).values[] | type] | unique')" \
	'["number"]'
if [[ -d /sys/devices/system/node ]]; then
	is 'all of it is somewhere' "$(of '[.cases[].place | .misplaced_bytes + .unknown_bytes] | unique')" '[0]'
	is 'and no less of it' "$(of '[.cases[].place.nodes | map(.bytes) | add] | unique')" '[1048576]'
	node=$(of '.machine.nodes[0].id')
	tiermem bench fault "${short[@]}" --shared --size 1M --threads 1 --nodes "$node" --json
	is 'on a node' "$status $(of '.cases[0].place | [.asked, .misplaced_bytes, (.nodes | map(.node))]')" \
		"0 [\"$node\",0,[$node]]"
fi
tiermem bench fault "${short[@]}" --one-mapping --base --size 1M --threads 3 --json
is 'parts of one mapping' "$status $(of '.cases[0].labels | [.memory, .threads, .size_bytes >= 1048576]')" '0 ["private",3,true]'
tiermem bench fault "${short[@]}" --base --size 1M --cpus 0 --json
is 'one CPU, one case' "$status $(of '[.cases[].labels.threads]')" '0 [1]'

# ---- for people

tiermem bench fault "${short[@]}" --base --size 1M --threads 1
exits 0 'a table'
like 'its columns' "$out" \
	'MEMORY +PAGE +THREADS +SIZE +PAGES/s +USER s +SYSTEM s +FAULTS/s/CPU +FAULTS/s +BYTES/FAULT +SPREAD'
like 'its row' "$out" $'\n *private +[0-9]+K +1 +1M +[0-9]+ +0\\.[0-9]{3} '
tiermem bench fault "${short[@]}" --size 1M --threads 1
unlike 'pages as the settings have them have no size' "$out" ' PAGE '

# ---- what is refused

# refuses CODE TEXT ARG...
refuses()
{
	tiermem bench fault "${@:3}"
	is "${*:3}" "$status ${err%%$'\n'*}" "$1 tiermem bench fault: $2"
}

refuses 2 '--base: not together with --each-size' --base --each-size
refuses 2 '--tmpfs-dir: only with --tmpfs' --tmpfs-dir /dev/shm
refuses 2 "--size: '1' is not a size from 64K" --size 1
refuses 3 '/proc: is not on a tmpfs' --tmpfs --tmpfs-dir /proc
refuses 2 '/proc/none: No such file or directory' --tmpfs --tmpfs-dir /proc/none
if [[ ${#kinds[@]} == 4 ]]; then
	tiermem bench fault --tmpfs --size 8000T
	like 'more than a tmpfs holds' "$status $err" '^(3 .*/dev/shm: has not enough room|2 .*is not a size)'
fi
if [[ -d /sys/devices/system/node ]]; then
	tiermem bench fault --size 8000T
	like 'more memory than there is' "$status $err" '^(3 .* of free memory, and .* are needed|2 .*is not a size)'
fi
done_testing
