#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The harness itself: what a guest emits arrives whole, and a machine that goes wrong is a failure.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"
vm_need 6.12

boot()
{
	echo "$1" >"$tmp/case-$1"
	vm_boot "$1" --machine plain --kernel 6.12 --script "$top/tests/vm/guest/harness.sh" \
		--add "$tmp/case-$1:/case" "${@:2}"
}

boot files
boot warning
boot panic
boot silent
boot hang --timeout 3
echo files >"$tmp/case-file"
file=(--machine plain --kernel "$TIERMEM_CACHE/vm/kernel-6.12/vmlinuz" --script "$top/tests/vm/guest/harness.sh"
	--add "$tmp/case-file:/case")
vm_boot file "${file[@]}"

vm_ended files 7
out=$(vm_out files)
is "a binary file arrives whole" "$(sha256sum <"$out/binary")" "$(cat "$out/sum")"
ok "an empty file arrives" test -f "$out/empty" -a ! -s "$out/empty"
is "a file may hold marks" "$(cat "$out/marks")" $'@exit 9\n@done'
is "output of a command" "$(cat "$out/run")" out
is "its errors" "$(cat "$out/run.err")" err
is "its exit code" "$(cat "$out/run.rc")" 4
is "lines of TAP" "$(cat "$out/tap")" $'ok - one\nok - two'
like "the kernel's log comes along" "$(cat "$out/dmesg")" 'Linux version 6\.12'

vm_ended warning 121
like "a warning of the kernel is reported" "$(vm_log warning)" 'WARNING: CPU: 0 PID: 1 at nowhere'
vm_ended panic 121
like "a panic is reported" "$(vm_log panic)" 'Kernel panic'
like "a panic after the first program is not retried" "$(vm_log panic)" '0 retries'
vm_ended silent 120
vm_ended hang 120
like "a machine that hangs is stopped" "$(vm_log hang)" 'not done in 3 s'

vm_ended file 7
like "a kernel that is a file" "$(vm_log file)" 'kernel /.*/vmlinuz: '
run "$vm" run --out "$tmp/none" --module zram "${file[@]}"
exits 1 "which has no modules"
like "and says so" "$err" 'this kernel has no module zram'

done_testing
