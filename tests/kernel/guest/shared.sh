# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# shared.t: faults of shared memory with pages of 64K off and on.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# Called by emit_run.
# shellcheck disable=SC2317
fault()
{
	tiermem bench fault --shared --size 16M --threads 2 --time 0.05 --repeat 3 --json
}

exits 0 "64K is off" tiermem mthp set all shmem=never
emit_run off.json fault
exits 0 "64K is on" tiermem mthp set 64K shmem=always
emit_run on.json fault
exits 0 "undo" tiermem undo
exit 0
