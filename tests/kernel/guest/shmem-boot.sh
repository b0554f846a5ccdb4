# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# shmem-boot.t: what a kernel made of the words that it was booted with, and what it said about them.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
# shellcheck source=tests/vm/guest/mthp-settings.sh
. /vm/mthp-settings.sh

mthp_settings | emit settings
emit_run show.json tiermem mthp show --json
dmesg | sed 's/^\[[^]]*\] //' | grep -E 'thp_shmem|hugepage_shmem' | grep -vi 'command line' | emit said
exit 0
