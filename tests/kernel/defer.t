#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 0003: what is put off, and what it costs. A read-only mapping that is swept page by page; tables that overflow node 0; and
# first touches with nothing put off, whose instructions are counted.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

own_kernels

# start NAME KERNEL GUEST ARG...
start()
{
	vm_boot "$1" --machine A --kernel "$2" --script "$(guest "$3")" --program "$libnuma" --timeout 300 "${@:4}"
}

start tiers "$patched" defer-tiers --append hugepages=0:448
start sweep "$patched" defer-sweep
for kernel in base patched; do
	start "fault-$kernel" "${!kernel}" defer-fault --icount --qemu-arg=-smp --qemu-arg=1,maxcpus=2
done

# document NAME FILE: it is there, and as it should be
document()
{
	is "$1: $2 ends well" "$(cat "$(vm_out "$1")/$2.rc") $(cat "$(vm_out "$1")/$2.err")" '0 '
	valid_json "$1: $2 keeps to its schema" "$(vm_out "$1")/$2"
}

# holds NAME CONDITION: by jq
holds()
{
	ok "$1: $2" test "$(jq -n "$2")" = true
}

row()
{
	printf '|'
	printf ' %s |' "$@"
	printf '\n'
}

# ---- a sweep

vm_ended sweep
out=$(vm_out sweep)

# swept ON KEY
swept()
{
	jq ".cases[0].metrics[] | select(.key == \"$2\").median * 10000 | round / 10000" "$(vm_out sweep)/sweep-$1.json"
}

for on in 0 1; do
	document sweep "sweep-$on.json"
	is "$on: all pages went there and back" "$(swept $on moved_pages) $(swept $on failed_pages)" '8192 0'
done
holds 'off: pages have shootdowns of their own' "$(swept 0 shootdowns_per_page) >= 0.5"
holds 'off: nothing is put off' "$(swept 0 deferred_per_page) == 0"
holds 'on: every flush is put off' "$(swept 1 deferred_per_page) >= 0.99"
holds 'on: hundreds of pages share one' "$(swept 1 forced_per_page) < 0.005"
holds 'on: shootdowns are a tenth, or less' "$(swept 1 shootdowns_per_page) <= $(swept 0 shootdowns_per_page) / 10"
free=("$(cat "$out/free-0")" "$(cat "$out/free-1")")
holds 'on: as much memory is free, within 1 %' "(${free[1]} - ${free[0]} | fabs) <= ${free[0]} / 100"

sweep_rows()
{
	local on key cells

	for on in 0 1; do
		cells=()
		for key in pages_per_second shootdowns_per_page ipis_per_page flushes_one_per_page deferred_per_page forced_per_page; do
			cells+=("$(swept $on $key)")
		done
		row "$on" "${cells[@]}" "${free[$on]}"
	done
}

# ---- demotion and promotion

vm_ended tiers
out=$(vm_out tiers)
room=$(cat "$out/room")

# counted CASE ON KEY: in all runs together
counted()
{
	jq "[.counters[] | select(.name == \"$3\" and .node == null and .cpu == null).values[]] | add" "$out/$1-$2.json"
}

# Of the written ones only those can wait that came up again, which are read-only until they are written once more.
for case in 4-read-only 8-read-only 8-written; do
	for on in 0 1; do
		valid_json "$case, $on keeps to its schema" "$out/$case-$on.json"
		holds "$case, $on: pages were demoted" "$(counted $case $on pgdemote_kswapd) > 0"
	done
	deferred=$(counted $case 1 tlb_defer_pages)
	refused=$(counted $case 1 tlb_defer_refused)
	holds "$case, off: nothing is put off" "$(counted $case 0 tlb_defer_pages) + $(counted $case 0 tlb_defer_refused) == 0"
	holds "$case, on: demotion asks" "$deferred + $refused > 0"
	# While a table is made it is written, and its flushes are refused.
	[[ $case == *-written ]] || holds "$case, on: once it is read-only, flushes are put off" "$deferred > 0"
done

# What is compared: medians of the runs off and on, what has changed, and whether that is more than the runs differ.
tiers_rows()
{
	local case

	for case in 4-read-only 8-read-only 8-written; do
		awk -F, -v parts="1:${case%%-*}" -v mapping="${case#*-}" '
			BEGIN { split("elapsed TLB pgdemote_kswapd pgpromote_success tlb_defer_pages tlb_defer_refused tlb_defer_forced", keys, " ")
				for (n in keys) wanted[keys[n]] }
			$2 in wanted && $5 == "" && $6 == "" {
				unit = 1
				if ($4 == "ns") { unit = 1e6; $2 = $2 ", ms" }
				printf "| %s | %s | %s | %d | %d | %s | %s |\n", parts, mapping, $2, $9 / unit, $15 / unit,
					$20 == "" ? "" : sprintf("%+.1f %%", $20), $22
			}' "$out/$case.csv"
	done
}

# ---- nothing put off

vm_ended fault-base
vm_ended fault-patched
document fault-base fault-0.json
document fault-patched fault-0.json
document fault-patched fault-1.json
is 'nothing was put off' "$(paste -sd ' ' "$(vm_out fault-patched)/counters")" 'tlb_defer_pages 0 tlb_defer_forced 0 tlb_defer_refused 0'

# instructions KERNEL ON: of a first touch
instructions()
{
	jq '1e9 / (.cases[0].metrics[] | select(.key == "pages_per_second").median) * 10 | round / 10' "$(vm_out "fault-$1")/fault-$2.json"
}

# more KERNEL ON: than the base kernel, in hundredths
more()
{
	jq -n "($(instructions "$1" "$2") / $(instructions base 0) - 1) * 10000 | round / 100"
}

for on in 0 1; do
	holds "$on: a first touch takes half a hundredth more instructions at most" "$(more patched $on) <= 0.5"
done

figures 0003 <<END
### 0003 mm/migrate: defer the flush of read-only pages until reuse

\`tiermem bench migrate --batch 1 --mapping read-only --reader-cpus all --size 16M\`: 4096 pages there and back, one a call, with
a reader on every CPU. For each page moved, and what was free afterwards:

| tlb_defer/enabled | pages/s | shootdowns | interrupts | flushes of one page | put off | flushes of all put off | MemFree, KiB |
|---|---|---|---|---|---|---|---|
$(sweep_rows)

\`tiermem bench lookup\`, with demotion and promotion, in tables of which a fifth (1:4) or a ninth (1:8) fits into the $((room / 1024)) MiB
that node 0 has left. Medians of 5 runs, by \`tiermem stat --compare\`, which says of each change whether it is within what the
runs differ among themselves, or larger:

| node 0 to node 1 | tables | counter | off | on | change | |
|---|---|---|---|---|---|---|
$(tiers_rows)

Instructions of a first touch (\`tiermem bench fault --private --base\`), counted by the emulator, with nothing put off:

| kernel | tlb_defer/enabled | instructions | more than base |
|---|---|---|---|
$(row base '' "$(instructions base 0)" '')
$(row patched 0 "$(instructions patched 0)" "$(more patched 0) %")
$(row patched 1 "$(instructions patched 1)" "$(more patched 1) %")
END
done_testing
