#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem mthp` on captured machines. What is wanted is reckoned by hand from transhuge.rst and the kernel's parsers.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

folder=sys/kernel/mm/transparent_hugepage

sum_of()
{
	(cd "$1" && find . -path ./run -prune -o -type f -exec sha256sum {} + | sort -k 2 | sha256sum)
}

# fresh NAME: a copy of the machine of one's own, in $root
fresh()
{
	root=$tmp/roots/$1
	rm -rf "$root"
	mkdir -p "$root"
	tar -C "$(machine "$1")" --exclude 'memory[0-9]*' --exclude 'cpu[0-9]*' -cf - . | tar -C "$root" -xf -
	thp=$root/$folder
	before=$(sum_of "$root")
}

mthp()
{
	tiermem --root "$root" mthp "$@"
}

# keeps NAME: the last run's document is one; that they all keep to their schemas is seen at the end
keeps()
{
	like "$1" "$(jq -r .schema "$out_file" 2>&1)" '^tiermem\.[a-z]+/1$'
	cat "$out_file" >>"$tmp/documents"
}

doc()
{
	jq -c "$1" <"$out_file"
}

untouched()
{
	is "$1: nothing is written" "$(sum_of "$root")" "$before"
	ok "$1: nothing is kept" test ! -e "$root/run/tiermem"
}

# refused NAME CODE TEXT HINT ARG...: it fails so, says so, and changes nothing
refused()
{
	local name=$1 code=$2 text=$3 hint=$4

	shift 4
	mthp "$@"
	exits "$code" "$name"
	like "$name: says so" "${err%%$'\n'*}" "$text"
	like "$name: helps" "$err" "$hint"
	is "$name: prints nothing" "$out" ''
	untouched "$name"
}

# active FILE: the word in brackets, or the whole text
active()
{
	sed 's/.*\[\(.*\)\].*/\1/' "$thp/$1"
}

# --- show (field case 24: sizes, and what may lack) ---

fresh thp-4k
mthp show
golden mthp-4k
mthp show --json
golden mthp-json
keeps 'show --json'
is 'sizes are in the order of numbers' "$(doc '[.sizes[].size_bytes / 1024]')" '[8,16,32,64,128,256,512,1024,2048]'
is 'no anonymous side' "$(doc '.sizes[0] | [.enabled, .enabled_reason, .effective_enabled, .effective_enabled_reason,
	.shmem_enabled]')" '[null,"unsupported",null,"unsupported","never"]'
is 'a size of its own stands' "$(doc '.sizes[3] | [.shmem_enabled, .effective_shmem, .shmem_fallback_ratio,
	.anon_fallback_ratio]')" '["always","always",0.0478516,null]'
is 'the PMD size inherits' "$(doc '.sizes[8] | [.pmd, .effective_enabled, .effective_shmem, .anon_fallback_ratio]')" \
	'[true,"madvise","never",0]'
is 'absent counters are absent' "$(doc '.sizes[0].counters | [has("anon_fault_alloc"), has("swpin"), .shmem_alloc]')" \
	'[false,false,0]'
is 'all sizes' "$(doc '.top_level | [.enabled, .shmem_enabled, .use_zero_page, .khugepaged.max_ptes_none]')" \
	'["madvise","never",true,511]'
mthp show --counters 64K 8K
golden mthp-counters
mthp show -o size,shalloc,shfell --raw --noheadings 16K-64K,pmd
is 'columns and sizes of choice' "$out" $'16384 0 0\n32768 0 0\n65536 3900 196\n2097152 0 0'
mthp show 48K
exits 3 'a size that is not there'
like 'says which are' "$err" 'it has 8K, 16K, 32K, 64K, 128K, 256K, 512K, 1M, 2M'
mthp show top
exits 2 'top is no size'
mthp show --json -o size
exits 2 'a choice of columns in JSON'
untouched show

fresh thp-16k
mthp show
golden mthp-16k
mthp show --json
keeps 'show --json of 16K pages'
is 'deny stops every size' "$(doc '[.sizes[].effective_shmem] | unique')" '["never"]'
is 'PMD of 32M' "$(doc '[.sizes[] | select(.pmd) | .size_bytes], .pmd_size_bytes')" $'[33554432]\n33554432'
is 'a counter that nobody knows' "$(doc '.sizes[5].counters.of_tomorrow')" 7

fresh thp-64k
mthp show
golden mthp-64k
mthp show --json
keeps 'show --json of 64K pages'
is 'force leaves what inherits' "$(doc '[.sizes[] | select(.shmem_enabled == "always") | .effective_shmem]')" '["never"]'
is 'no shared side above 128M' "$(doc '[.sizes[] | select(.shmem_enabled == null) | .size_bytes / 1048576]')" '[256,512]'
printf 'always [inherit] within_size advise never\n' >"$thp/hugepages-2048kB/shmem_enabled"
mthp show --raw --noheadings -o shared 2M
is 'force is always where it is inherited' "$out" always

# Without what kernels may lack
fresh thp-4k
rm "$thp/hpage_pmd_size" "$thp"/hugepages-*/shmem_enabled "$thp/shmem_enabled" "$thp/shrink_underused"
before=$(sum_of "$root")
mthp show
golden mthp-6.10
mthp show --json
keeps 'a kernel without shared sizes'
is 'what is unknown' "$(doc '[.pmd_size_bytes, .sizes[8].pmd, .sizes[8].pmd_reason, .sizes[3].effective_shmem]')" \
	'[null,null,"unsupported",null]'
refused 'no shared side' 3 '64K shmem: this machine has no' 'Linux 6\.11' set 64K shmem=always
refused 'none has it' 3 '16K-64K: no size of this machine has the setting shmem' 'Linux 6\.11' set 16K-64K shmem=always
refused 'nor has the top' 3 'top shmem: this machine has no' . set top shmem=never
refused 'pmd is not known' 3 'does not say which size' . set pmd enabled=always
rm -rf "$thp"/hugepages-*
before=$(sum_of "$root")
mthp show
exits 0 'without sizes'
like 'says when they came' "$out" 'Linux 6\.8'
mthp show --json
keeps 'without sizes, as JSON'
refused 'a size without sizes' 3 '64K: this machine has no' 'Linux 6\.8' set 64K enabled=always
refused 'all without sizes' 3 'all: no size' 'Linux 6\.8' set all enabled=always
mthp set top enabled=never --dry-run
exits 0 'the top can be set'
rm -rf "$thp"
before=$(sum_of "$root")
refused 'no huge pages' 3 'no transparent huge pages' 'built without them' show
refused 'nothing to set' 3 'no transparent huge pages' . set top enabled=never
refused 'no words' 3 'no transparent huge pages' . bootargs
mthp show --json
exits 3 'no huge pages, as JSON'
keeps 'the document is whole'

if [[ $EUID != 0 ]]; then
	fresh thp-4k
	chmod 0 "$thp/enabled" "$thp/hugepages-64kB/enabled"
	mthp show
	like 'what may not be read' "$out" '64K no +denied'
	chmod 644 "$thp/enabled" "$thp/hugepages-64kB/enabled"
fi

# --- set (field case 25: values are those of the very file) ---

fresh thp-4k
mthp set 64K shmem=within_size 16K-128K enabled=madvise top defrag=defer+madvise use-zero-page=off --dry-run
golden mthp-set-dry-run
untouched 'set --dry-run'
mthp set 64K shmem=within_size 16K-128K enabled=madvise top defrag=defer+madvise use-zero-page=off --json
exits 0 'several groups, one plan'
keeps 'set --json'
is 'one plan' "$(doc '[.state, (.changes | length), .title]')" '["applied",7,"mthp set"]'
is 'what is set' "$(active hugepages-64kB/shmem_enabled) $(active hugepages-16kB/enabled) $(active hugepages-128kB/enabled)" \
	'within_size madvise madvise'
is 'what is not' "$(active hugepages-256kB/enabled)" never
is 'a switch takes 0 and 1' "$(active use_zero_page)" 0
mthp set 64K shmem=within_size
is 'again' "$out" 'nothing to do: it is so already'
tiermem --root "$root" undo
exits 0 undo
is 'undo puts it back' "$(active hugepages-64kB/shmem_enabled) $(active hugepages-128kB/enabled) $(active defrag) $(active use_zero_page)" \
	'always never madvise 1'

mthp set all shmem=advise enabled=never 64K,pmd shmem=inherit 16K,256K-512K enabled=always --json
is 'sizes and ranges with commas; all yields' "$(doc '[.changes[] | select(.to != .from) |
	[(.path | capture("hugepages-(?<k>[0-9]+)kB/(?<f>.)") | .k + .f), .to]] | sort_by(.[0]) | map(join(" ")) | join(",")')" \
	'"1024s advise,128s advise,16e always,16s advise,2048e never,256e always,256s advise,32s advise,512e always,512s advise,64s inherit,8s advise"'

fresh thp-4k
for bad in "64K shmem=madvise|2|64K shmem: 'madvise' is no value|did you mean advise\\?" \
	"64K enabled=advise|2|64K enabled: 'advise' is no value|did you mean madvise\\?" \
	"top shmem=inherit|2|top shmem: 'inherit'|it takes always, within_size, advise, never, deny or force" \
	"64K shmem=force|2|64K shmem: 'force'|it takes inherit, always" \
	"top khugepaged-pages-to-scan=0|2|top khugepaged-pages-to-scan|a number from 1" \
	"top use-zero-page=2|2|top use-zero-page|on, off" \
	"64K shmem=|2|64K shmem: '' is no value|it takes" \
	"64K|2|needs|" \
	"64K 2M enabled=always|2|64K: nothing is said for it|KEY=VALUE" \
	"2M enabled=always 64K|2|64K: nothing is said for it|KEY=VALUE" \
	"all 2M enabled=always|2|all: nothing is said for it|KEY=VALUE" \
	"shmem=always 64K|2|for which size|before it" \
	"64K defrag=never|2|64K: no setting is called 'defrag'|enabled and shmem" \
	"64K shmen=never|2|64K: no setting is called 'shmen'|did you mean shmem" \
	"top defrg=never|2|top: no setting is called 'defrg'|did you mean defrag" \
	"8K enabled=always|3|8K enabled: this machine has no|Linux 6\\.8" \
	"48K enabled=always|3|48K: this machine has no huge pages of that size|it has 8K" \
	"16K-4M enabled=always|3|4M: this machine has no|it has 8K" \
	"64K-16K enabled=always|2|64K-16K: the smaller size comes first|give 16K-64K" \
	"64Q enabled=always|2|'64Q' is no size|a size as in 64K" \
	"0 enabled=always|2|'0' is no size|all, pmd or top" \
	"64K,top enabled=always|2|top: not together with sizes|" \
	"64K, enabled=always|2|'' is no size|" \
	"64K enabled=always enabled=never|2|64K enabled: given twice|" \
	"64K enabled=always 16K-1M enabled=never|2|64K enabled: given twice|" \
	"top khugepaged-max-ptes-none=512|1|more than a huge page has|0 to 511" \
	"64K shmem=inherit top shmem=force|1|while a size other than 2M inherits: 64K|64K shmem=never" \
	"all shmem=inherit top shmem=force|1|inherits: 8K, 16K, 32K|as in .8K shmem=never" \
	"2M shmem=never top shmem=force|1|only while 2M inherits|2M shmem=inherit"; do
	IFS='|' read -r words code text hint <<<"$bad"
	# shellcheck disable=SC2086
	refused "set $words" "$code" "$text" "${hint:-.}" set $words
done

# Force and what inherits
mthp set 8K shmem=always 64K shmem=never 2M shmem=inherit top shmem=force --json
exits 0 'force with the PMD size alone'
is 'force is written last' "$(doc '.changes[-1] | [.path, .to]')" "[\"$folder/shmem_enabled\",\"force\"]"
before=$(sum_of "$root")
mv "$root/run" "$tmp/run"
refused 'inherit under force' 1 "64K shmem: 'inherit' is refused while top shmem is 'force'" 'another value' \
	set 64K shmem=inherit
mv "$tmp/run" "$root/run"
mthp set 64K shmem=inherit top shmem=never --json
exits 0 'leaving force'
is 'force is left first' "$(doc '.changes[0] | [.path, .to]')" "[\"$folder/shmem_enabled\",\"never\"]"
tiermem --root "$root" undo --json
is 'undo: the other way round' "$(doc '[.changes[].state] | unique') $(active shmem_enabled) $(active hugepages-64kB/shmem_enabled)" \
	'["restored"] force never'
# The kernel would not take it back.
fresh thp-4k
printf 'always within_size advise never deny [force]\n' >"$thp/shmem_enabled"
printf 'always [inherit] within_size advise never\n' >"$thp/hugepages-64kB/shmem_enabled"
before=$(sum_of "$root")
refused 'force that cannot come back' 1 'would not take' '--accept' -q set top shmem=never
refused 'inherit that cannot come back' 1 'would not take' '--accept' -q set 64K shmem=never
mthp set 64K shmem=inherit 2M shmem=inherit top shmem=force
is 'what is so already is no change' "$out" 'nothing to do: it is so already'
rm -rf "$root/run"
mthp set top shmem=always --accept
exits 0 'with --accept'
like 'it is said' "$err" "would not take 'force' back"

# Read-only, denied, archives
fresh thp-4k
if [[ $EUID != 0 ]]; then
	chmod 444 "$thp/hugepages-128kB/enabled"
	refused 'a file that may not be written' 1 'Permission denied' . set 64K,128K enabled=always
fi
tar -C "$root" -cf "$tmp/thp.tar" sys proc
root=$tmp/thp.tar
mthp set 64K enabled=always
exits 2 'an archive is not written to'
mthp show 64K
exits 0 'but shown'

# --- presets ---

fresh thp-4k
mthp preset
golden mthp-presets
tiermem mthp preset --list -v
exits 0 'the list needs no machine'
is 'it lists all' "$(grep -o '^[a-z-]*:' "$out_file" | tr '\n' ' ')" 'default: off: database-shmem: throughput: low-latency: '
for name in thp-4k thp-16k thp-64k laptop; do
	fresh "$name"
	for preset in default off database-shmem throughput low-latency; do
		mthp preset "$preset" --json
		exits 0 "$preset on $name"
		keeps "$preset on $name, as JSON"
	done
	mthp preset low-latency
	like "a preset again on $name" "$out" "^low-latency: .*"$'\n'"nothing to do: it is so already$"
done
fresh thp-4k
mthp preset low-latency --dry-run
golden mthp-preset
untouched 'preset --dry-run'
refused 'a preset that is none' 2 "'fastest'" 'lists its values' preset fastest
refused 'a list of one' 2 '--list: not together' . preset --list off
mthp preset default -q
is 'the default of 4K pages' "$(cd "$thp" && cat khugepaged/max_ptes_* khugepaged/pages_to_scan | tr '\n' ' ')" '511 256 64 4096 '
fresh laptop
mthp preset default
like 'what is left out is said' "$err" 'left out, as this kernel has it not: top shrink-underused, top khugepaged-defrag'

# --- bootargs ---

fresh thp-4k
mthp bootargs
golden mthp-bootargs
mthp bootargs 16K-128K,1M enabled=always 2M enabled=madvise top enabled=never
is 'ranges are folded' "$out" \
	'transparent_hugepage=never thp_anon=16K-128K,1M:always thp_anon=2M:madvise'
mthp bootargs all enabled=never
is 'nothing on needs a word too' "$out" 'transparent_hugepage=madvise thp_anon=16K:never'
mthp bootargs --json
keeps 'bootargs --json'
is 'words that are taken' "$(doc '[.words[].fate], .notes')" \
	$'["taken","taken"]\n["shmem of the sizes: this kernel has no word for it, thp_shmem= comes with Linux 6.13"]'
mthp bootargs 64K shmem=always top shmem=advise --for 6.13
like 'for a kernel that has more words' "$out" 'thp_shmem=64K:always .*transparent_hugepage_shmem=advise'
is 'and nothing is missing' "$err" ''
mthp bootargs 64K shmem=always --for 6.12
unlike 'for one that has not' "$out" 'thp_shmem='
mthp bootargs --for 6.12 --explain thp_shmem=64K:always
like 'what such a one would make of a line' "$out" 'unknown: this kernel has no such word: it comes with Linux 6.13'
refused 'no version' 2 "--for: 'new' is no kernel's version" 'such as 6.13' bootargs --for new
refused 'the past is settled' 2 '--for: not together with --booted' . bootargs --for 6.13 --booted
refused 'no word for it' 2 'top defrag: the kernel.s command line has no word' profile bootargs top defrag=never
refused 'no such value' 2 "64K shmem: 'madvise'" 'advise' bootargs 64K shmem=madvise
refused 'two lines' 2 '--booted: not together with --explain' . bootargs --booted --explain x
refused 'a line and settings' 2 '--explain: not together with settings' . bootargs 64K shmem=never --explain x
echo 6.13.1 >"$root/proc/sys/kernel/osrelease"
mthp bootargs top shmem=force
is 'shared memory from 6.13' "$out" \
	'transparent_hugepage=madvise thp_anon=2M:inherit thp_shmem=64K:always thp_shmem=2M:inherit transparent_hugepage_shmem=never'
like 'force cannot be had' "$err" "top shmem: 'force' cannot be had at boot"
rm "$root/proc/sys/kernel/osrelease" "$root/proc/version"
mthp bootargs -q
like 'of unknown kernels the newest is assumed' "$out" 'transparent_hugepage_shmem=never$'

# Field case 26: a wrong word is ignored whole, and only reading tells.
fresh thp-4k
mthp bootargs --booted
golden mthp-booted
mthp bootargs --booted --json
keeps 'bootargs --booted --json'
is 'what came of it' "$(doc '[.words[] | [(.word | split("=")[0]), .fate]], .after_boot.enabled')" \
	$'[["transparent_hugepage","taken"],["thp_anon","ignored"]]\n"madvise"'
mthp bootargs --explain 'thp-anon="64K-256KB:always;2M:inherit" transparent_hugepages=never thp_shmem=64K:always -- thp_anon=x'
golden mthp-explain
mthp bootargs --explain 'quiet splash'
like 'nothing about huge pages' "$out" '^no word is about huge pages'
fresh thp-64k
mthp bootargs --explain 'thp_anon=512M:always,256M:always thp_anon=128K:always thp_anon=2M-512M:always' --json
is 'the sizes of this machine' "$(doc '[.words[].fate]')" '["ignored","ignored","taken"]'
rm -rf "$thp"
mthp bootargs --explain 'thp_anon=16K:always'
exits 0 'a line for no machine'
like 'sizes are assumed' "$out" 'sizes: those that kernels with its'

# --- the rest ---

tiermem complete -- mthp set ''
like 'sizes complete' "$out" $'\n''64K'$'\t'
tiermem complete -- mthp set 64K shm
is 'settings complete' "$(cut -f 1 <<<"$out" | tr '\n' ' ')" \
	'shmem=inherit shmem=always shmem=within_size shmem=advise shmem=never '
tiermem complete -- mthp set top khugepaged-de
is 'those for all sizes too' "$(cut -f 1 <<<"$out" | tr '\n' ' ')" 'khugepaged-defrag=on khugepaged-defrag=off '
for name in thp-4k thp-16k thp-64k laptop two-tier denied device-dax; do
	root=$(machine "$name")
	touch "$tmp/stamp"
	mthp show
	is "$name: fits 80 columns" "$(awk 'length > 80' "$out_file" "$err_file")" ''
	mthp show --json
	keeps "$name: show --json"
	mthp bootargs -q --json
	keeps "$name: bootargs --json"
	is "$name: nothing is written" "$(find "$root" -newer "$tmp/stamp")" ''
done
valid_json 'every document keeps to its schema' "$tmp/documents"
done_testing
