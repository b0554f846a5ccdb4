#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/mthp.sh
. "$(dirname "$0")/mthp.sh"
mthp_test A 6.12
like 'what has no word is said' "$(cat "$out/notes")" 'thp_shmem= comes with Linux 6\.13'
wanted=$(grep -v shmem_enabled "$out/settings")

booted again A 6.12 "$words"
is 'the kernel starts as it was' "$(grep -v shmem_enabled <<<"$settings")" "$wanted"
fates again 'taken taken taken taken'

booted wrong A 6.12 'transparent_hugepage=sometimes thp-anon="16K-64KB,0x80000:always;32K:inherit" thp_anon=128k:madvise
thp_anon=2M:always;8K:never thp_shmem=64K:always transparent_hugepages=never'
fates wrong 'ignored taken taken ignored unknown unknown'
done_testing
