# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For mthp.sh and mthp-booted.sh: the settings, read without tiermem.

thp=/sys/kernel/mm/transparent_hugepage

# active FILE: the word in brackets, or the whole text
active()
{
	sed -e 's/.*\[\(.*\)\].*/\1/' "$1"
}

# mthp_settings: a line "FILE WORD" for each that a word of the kernel's command line can set
mthp_settings()
{
	(
		cd $thp || exit
		for file in enabled shmem_enabled hugepages-*/enabled hugepages-*/shmem_enabled; do
			[ -e "$file" ] && echo "$file $(active "$file")"
		done
	)
}
