#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/mthp.sh
. "$(dirname "$0")/mthp.sh"
mthp_test A newest
is 'every setting has a word' "$(cat "$out/notes")" ''
wanted=$(cat "$out/settings")

booted again A newest "$words"
is 'the kernel starts as it was' "$settings" "$wanted"

# "force" passes once thp_shmem= has made the PMD size inherit, and is never in the end; so is "deny".
booted force A newest 'transparent_hugepage_shmem=force thp_shmem=2M:inherit transparent_hugepage_shmem=force
transparent_hugepage=never'
fates force 'ignored taken ignored taken'

booted deny A newest 'transparent_hugepage_shmem=always transparent_hugepage_shmem=deny thp_anon=64K:advise
thp_shmem=64K-16K:always thp_shmem=8K,32K:advise;32K:within_size transparent_hugepage_tmpfs=within_size'
fates deny 'taken ignored ignored ignored taken taken'
done_testing
