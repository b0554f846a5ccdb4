# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# shmem-boot.t: a state of the settings, and the words that would bring the next boot to it.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
# shellcheck source=tests/vm/guest/mthp-settings.sh
. /vm/mthp-settings.sh

exits 0 "a state" tiermem mthp set top enabled=madvise shmem=advise all enabled=never shmem=never \
	16K,32K shmem=inherit 64K shmem=always 128K-512K shmem=advise 1M enabled=madvise 2M enabled=inherit shmem=within_size
mthp_settings | emit settings
emit_run words tiermem mthp bootargs
# A kernel 6.12 with the patch takes what 6.13 takes, and does not say so.
emit_run words-for tiermem mthp bootargs --for 6.13
exit 0
