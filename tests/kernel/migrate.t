#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 0002: one page a call flushes one page and not the whole TLB, and nothing else changes.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

own_kernels
documents='read-only written cow'
runs='base-1 patched-1 base-2 patched-2'

# One at a time, the one kernel after the other and twice: neighbours disturb.
for run in $runs; do
	kernel=${run%-*}
	vm_boot "$run" --machine A --kernel "${!kernel}" --script "$(guest migrate)" --program "$libnuma"
	vm_ended "$run"
	for name in $documents; do
		is "$run: $name ends well" "$(cat "$(vm_out "$run")/$name.json.rc")" 0
		valid_json "$run: $name keeps to its schema" "$(vm_out "$run")/$name.json"
	done
done

# both KERNEL NAME FILTER: of both runs
both()
{
	jq -c -n "[inputs | $3]" "$(vm_out "$1-1")/$2.json" "$(vm_out "$1-2")/$2.json"
}

# of BATCH KEY: the median, by jq
of()
{
	printf '(.cases[] | select(.labels.batch == %s).metrics[] | select(.key == "%s").median)' "$1" "$2"
}

# mean KERNEL NAME BATCH KEY: of the medians of both runs
mean()
{
	both "$1" "$2" "$(of "$3" "$4")" | jq -r 'add / length * 1000 | round / 1000'
}

# holds NAME KERNEL DOCUMENT BATCH KEY CONDITION: in both runs
holds()
{
	is "$1" "$(both "$2" "$3" "$(of "$4" "$5") | $6")" '[true,true]'
}

for name in read-only written; do
	holds "base, $name: one page a call flushes all" base $name 1 flushes_all_per_page '. >= 0.9'
	holds "patched, $name: it does no longer" patched $name 1 flushes_all_per_page '. < 0.05'
	holds "patched, $name: it flushes one page" patched $name 1 flushes_one_per_page '. >= 0.9'
	for batch in 2 128; do
		holds "patched, $name: $batch pages a call flush all, together" patched $name $batch flushes_one_per_page '. < 0.05'
	done
done
for name in $documents; do
	[[ $name != cow ]] || continue
	for run in $runs; do
		json_is "$run, $name: every page moves" "$(vm_out "$run")/$name.json" \
			'[.cases[].metrics[] | select(.key == "failed_pages").values[]] | add' 0
	done
done
moved='[.cases[].metrics[] | select(.key == "moved_pages").median]'

# cow KERNEL MEMORY THREADS KEY
cow()
{
	both "$1" cow "(.cases[] | select(.labels.memory == \"$2\" and .labels.threads == $3).metrics[] | select(.key == \"$4\").median)" |
		jq -r 'add / length * 1000 | round / 1000'
}

row()
{
	printf '|'
	printf ' %s |' "$@"
	printf '\n'
}

migrate_rows()
{
	local name batch kernel keys='flushes_all flushes_range flushes_one shootdowns ipis' key cells

	for name in read-only written; do
		for batch in 1 2 128; do
			for kernel in base patched; do
				cells=()
				for key in $keys; do
					cells+=("$(mean "$kernel" "$name" "$batch" "${key}_per_page")")
				done
				row "$name" "$batch" "$kernel" "${cells[@]}"
			done
		done
	done
}

cow_rows()
{
	local memory threads kernel

	for memory in fork private; do
		for threads in 1 2; do
			for kernel in base patched; do
				row "$memory" "$threads" "$kernel" "$(cow "$kernel" "$memory" "$threads" faults_per_page)" \
					"$(cow "$kernel" "$memory" "$threads" shootdowns_per_page)"
			done
		done
	done
}

figures 0002 <<END
### 0002 migrate: no batched flush for a single folio

\`tiermem bench migrate --batch 1,2,128 --mapping KIND --size 1M --repeat 3\`, with one reader on the other CPU; means of two
boots of each kernel, taken in turn. For each page moved:

| mapping | pages a call | kernel | flushes of all | of a range | of one page | shootdowns | interrupts |
|---|---|---|---|---|---|---|---|
$(migrate_rows)

Moved in a repeat, of each of these: base $(both base read-only "$moved"), patched $(both patched read-only "$moved").

\`tiermem bench cow --fork --private --size 1M --stat\`, which the patch leaves as it is:

| memory | threads | kernel | faults per page | shootdowns per page |
|---|---|---|---|---|
$(cow_rows)
END
done_testing
