#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 0003: tests/kernel/stress.c finds nothing wrong on the patched kernel, for STRESS_SECONDS (45), and something on each of
# those that were broken on purpose. `stress.t true` leaves these out; `stress.t write` is one of them.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

own_kernels
broken=$kernels/broken.bzImage
stress=${TIERMEM_STRESS:-$top/build/tests/kernel/stress}
seconds=${STRESS_SECONDS:-45}
for file in "$broken" "$stress"; do
	[[ -x $file || $file == *.bzImage && -e $file ]] && continue
	printf 'Bail out! no %s: make check-kernel makes it\n' "$file"
	exit 1
done
(($#)) || set -- true alloc write force

# Who sees what is missing in tlb_defer_break=.
declare -A finder=([alloc]=sweep [write]=fork [force]=force)

cpus=(--qemu-arg=-smp --qemu-arg=4)
for n in 2 3; do
	cpus+=(--qemu-arg=-numa "--qemu-arg=cpu,node-id=0,socket-id=0,core-id=$n,thread-id=0")
done

# start NAME KERNEL ACTORS [WORDS]: half of its four CPUs are the readers'
start()
{
	vm_boot "$1" --machine A --kernel "$2" --script "$(guest stress)" --add "$stress:/vm/stress" \
		--memory-hotplug 512M --append memhp_default_state=online_movable "${cpus[@]}" \
		--append "stress=\"--nodes 0,2 --seconds $seconds --seed ${STRESS_SEED:-1} ${3-}\"" \
		--append "oops=panic page_table_check=on ${4-}" --timeout $((seconds + 120))
}

# counter NAME KEY: by how much it has grown
counter()
{
	awk -v key="$2" '$1 == key { grown += FNR == NR ? -$2 : $2; found = 1 } END { print found ? grown : "none" }' \
		"$(vm_out "$1")/before" "$(vm_out "$1")/after"
}

# grew NAME KEY LEAST
grew()
{
	local by

	by=$(counter "$1" "$2")
	ok "$1: $2 grew by $by, $3 or more" test "$by" -ge "$3"
}

holds()
{
	local out name

	out=$(vm_out true)
	vm_ended true
	is 'nothing is wrong' "$(cat "$out/stress.rc")" 0
	[[ $(cat "$out/stress.rc") == 0 ]] || diag "$(cat "$out/stress" "$out/stress.err")"
	for name in read sweep fork force protect own child remap zero move swap merge wp offline migrate switch churn moved; do
		like "there was work for $name" "$(grep "^$name " "$out/stress")" "^$name [1-9]"
	done
	is 'it is on' "$(cat "$out/switch")" 1
	grew true tlb_defer_pages $((seconds * 20))
	grew true tlb_defer_forced $((seconds / 2))
	grew true tlb_defer_refused 1
	grew true pswpin 1
	grew true cow_ksm 1
	diag "in $seconds s: $(paste -sd, "$out/stress" | sed 's/,/, /g')"
	diag "$(for name in pages forced refused; do printf '%s %s, ' "tlb_defer_$name" "$(counter true tlb_defer_$name)"; done)"
}

notices()
{
	local out

	out=$(vm_out "$1")
	vm_ended "$1"
	is "$1: something is wrong" "$(cat "$out/stress.rc")" 1
	like "$1: and it is what was broken" "$(cat "$out/stress")" "MISMATCH: ${finder[$1]},"
	diag "$(cat "$out/stress" "$out/stress.err")"
}

for run; do
	if [[ $run == true ]]; then
		start true "$patched"
	else
		start "$run" "$broken" "--actors ${finder[$run]}" "tlb_defer_break=$run"
	fi
done
for run; do
	if [[ $run == true ]]; then
		holds
	else
		notices "$run"
	fi
done
done_testing
