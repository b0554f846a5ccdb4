# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mthp-MACHINE-KERNEL.t: the kernel takes what `tiermem mthp` sets, and refuses what tiermem refuses; the words of
# `mthp bootargs` bring a kernel to where they were made; and what `bootargs --booted` says of a line is what it did.

# shellcheck source=tests/vm/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

helpers=${TIERMEM_HELPERS:-$top/build/run-helpers}
settings_file=$top/tests/vm/guest/mthp-settings.sh:/vm/mthp-settings.sh

# mthp_test MACHINE KERNEL: what it says goes to $out; the words that it would boot with again to $words
mthp_test()
{
	vm_need "$2"
	vm_boot "$1-$2" --machine "$1" --kernel "$2" --script "$top/tests/vm/guest/mthp.sh" --add "$settings_file" \
		--add "$helpers/share:/usr/bin/share" --timeout 420
	vm_ended "$1-$2"
	out=$(vm_out "$1-$2")
	documents "$out"
	words=$(cat "$out/words" 2>/dev/null)
	like 'words for the kernel were printed' "$words" '^transparent_hugepage='
	json_is 'the counters tell of 64K' "$out/show.json" \
		'.sizes[] | select(.size_bytes == 65536) | .counters.shmem_alloc > 4000' true
}

documents()
{
	local file

	for file in "$1"/*.json; do
		[[ -e $file ]] || continue
		valid_json "${file##*/} of ${1##*/} keeps to its schema" "$file"
	done
}

# booted NAME MACHINE KERNEL LINE: boots with these words; $settings is what they came to. What tiermem said of them must
# be that.
booted()
{
	local after='.after_boot | [(.sizes[] | [.size_bytes, .enabled, .shmem_enabled])]'
	local said

	vm_boot "$1" --machine "$2" --kernel "$3" --script "$top/tests/vm/guest/mthp-booted.sh" --add "$settings_file" \
		--append "$4"
	vm_ended "$1"
	out=$(vm_out "$1")
	documents "$out"
	# shellcheck disable=SC2034
	settings=$(cat "$out/settings" 2>/dev/null)
	json_is "$1: the sizes are as explained" "$out/booted.json" "$after" \
		"$(jq -c '[.sizes[] | [.size_bytes, .enabled, .shmem_enabled]]' "$out/show.json")"
	for said in enabled shmem_enabled; do
		json_is "$1: $said is as explained" "$out/booted.json" ".after_boot.$said // \"as built\"" \
			"$(jq -c --slurpfile b "$out/booted.json" \
				"if \$b[0].after_boot.$said then .top_level.$said else \"as built\" end" "$out/show.json")"
	done
}

# fates NAME WANTED: of the words of the last boot
fates()
{
	json_is "$1: what became of the words" "$out/booted.json" '[.words[].fate] | join(" ")' "\"$2\""
}
