#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem patches list` on captured machines, and `patches check` on sources that are made of the patches' own lines.
# Functions are called by name, and single quotes hold scripts.
# shellcheck source=tests/cli/patches.sh disable=SC2016,SC2317
. "${BASH_SOURCE[0]%/*}/patches.sh"

# --- list ---

# A kernel that has some built in, and those for which the patches are.
for name in two-tier thp-4k; do
	tiermem --root "$(machine "$name")" patches list --patches "$shipped"
	golden "patches-list-$name"
done
tiermem --root "$(machine two-tier)" patches list --patches "$shipped" --json
exits 0 'list --json'
keeps 'is a document'
is 'where they are, and what for' "$(doc '[.folder, .base, .kernel]')" "[\"$shipped\",\"6.12\",\"6.16.9-amd64\"]"
is 'the patches in series order, and what needs none' "$(doc '[.patches[].name]')" \
	"$(printf '%s\n' "${names[@]}" shmem-sizes | jq -Rcn '[inputs]')"
is 'what is known of the first' \
	"$(doc '.patches[0] | [.number, .here, .known_by, .mainline, .files]')" '["0001","yes","version","6.16",4]'
is 'and of what needs no patch' "$(doc '.patches[-1] | [.number, .subject, .here, .known_by, .mainline, .files]')" \
	'[null,null,"yes","version","6.11",null]'
is 'each patch that is shipped is known' "$(doc '[.patches[] | select(.brings == .subject)] | length')" 0
if command -v git >/dev/null; then
	is 'the subject is that of its message' "$(doc '.patches[1].subject')" \
		"$(git mailinfo /dev/null /dev/null <"$shipped/${names[1]}.patch" | sed -n 's/^Subject: \(.*\)/"\1"/p')"
else
	skip 'the subject is that of its message' 'git is not installed'
fi
tiermem patches list --patches "$shipped" --json
exits 0 'of this machine'
keeps 'is a document too'
tiermem patches list --patches "$shipped" -o patch,files --noheadings
is '--columns' "$(head -n 1 "$out_file" | awk '{ print $1, $2 }')" "${names[0]} 4"
tiermem patches list --patches "$shipped" -o patch,nothing
exits 2 'a column that there is not'
tiermem patches list --patches "$shipped" --json -o patch
is '--columns with --json' "$status ${err%%$'\n'*}" 2' tiermem patches list: --columns: not together with --json'
tiermem patches list --patches "$shipped" 0001
exits 2 'list takes no name'

# kernel RELEASE [FILE=TEXT...]: a root of such a kernel, with these files; "-" for an empty one
kernel()
{
	local entry

	root=$tmp/root
	rm -rf "$root"
	mkdir -p "$root/proc/sys/kernel" "$root/proc/sys/vm" "$root/sys/kernel/mm"
	printf '%s\n' "$1" >"$root/proc/sys/kernel/osrelease"
	printf '60\n' >"$root/proc/sys/vm/swappiness"
	shift
	for entry; do
		mkdir -p "$root/$(dirname "${entry%%=*}")"
		printf '%s\n' "${entry#*=}" >"$root/${entry%%=*}"
	done
}
mkdir -p "$tmp/more"
cp "$shipped"/* "$tmp/more"
sed -e '/^Subject: /,/^$/c Subject: [PATCH] x\n' "$shipped/${names[1]}.patch" >"$tmp/more/9999-strange.patch"
printf '# a comment\n\n9999-strange.patch\n' >>"$tmp/more/series"

# has NAME PATCH WANTED: "here known_by how" of a patch (by the start of its name) in $root
has()
{
	tiermem --root "$root" patches list --patches "$tmp/more" --json
	like "$1" "$(jq -r --arg p "$2" '.patches[] | select(.name | startswith($p)) |
		"\(.here) \(.known_by) \(.how)"' <"$out_file")" "$3"
}
weights=sys/kernel/mm/mempolicy/weighted_interleave
thp=sys/kernel/mm/transparent_hugepage
kernel 6.12.43 $weights/node0=1 $weights/auto=true
has 'weights: the file auto' 0001 '^yes probe there is a file /sys/.*/auto$'
kernel 6.12.43 $weights/node0=1 $weights/__auto_type=false
has 'weights: as a backport calls it' 0001 '^yes probe there is a file /sys/.*/__auto_type$'
kernel 6.12.43 $weights/node0=1
has 'weights: none' 0001 '^no probe there is no file /sys/.*/auto$'
has 'one page: never known' 0002 '^unknown null .*`tiermem bench migrate`$'
has 'deferred flushes: unknown without vmstat' 0003 '^unknown null nothing that would tell can be read$'
has 'clearing: no' 0004 '^no probe there is no file /proc/sys/vm/clear_gigantic_nocache$'
has 'parameters: unknown' 0005 '^unknown null nothing that would tell can be read$'
has 'sizes: by version' shmem-sizes '^yes version built in since Linux 6.11$'
has 'of a strange patch nothing is known' 9999 '^unknown null nothing is known of this patch$'
is 'and it brings what it says itself' "$(doc '.patches[] | select(.number == "9999") | .brings')" '"x"'
kernel 6.12.43
has 'weights: no NUMA' 0001 '^no probe this kernel has no weighted interleave$'
kernel 6.16.1
has 'weights: from 6.16' 0001 '^yes version '
kernel 6.15.9 $weights/node0=1
has 'weights: not before' 0001 '^no probe '
has 'parameters: from 6.13' 0005 '^yes version '
kernel 6.12.43 proc/sys/vm/clear_gigantic_nocache=0 proc/vmstat=$'nr_free_pages 7\ntlb_defer_pages 0'
has 'clearing: the sysctl' 0004 '^yes probe there is a file /proc/sys/vm/clear_gigantic_nocache$'
has 'deferred flushes: counters' 0003 '^yes probe /proc/vmstat has tlb_defer_ counters$'
kernel 6.12.43 proc/vmstat='tlb_defer_pages 0' sys/kernel/mm/tlb_defer/enabled=0
has 'deferred flushes: off' 0003 \
	'^yes probe .*; it is off: 1 in /sys/kernel/mm/tlb_defer/enabled, or tlb_defer=on at boot, turns it on$'
printf '1\n' >"$root/sys/kernel/mm/tlb_defer/enabled"
has 'deferred flushes: on' 0003 '^yes probe .* tlb_defer_ counters; it is on$'
tiermem --root "$root" snapshot "$tmp/defer.tar"
root=$tmp/defer.tar has 'deferred flushes: a snapshot tells it too' 0003 '^yes probe .*; it is on$'
kernel 6.12.43 proc/vmstat='nr_free_pages 7'
has 'deferred flushes: no counters' 0003 '^no probe /proc/vmstat has no tlb_defer_ counters$'
kernel 6.10.0 $thp/enabled='[always] madvise never' $thp/hugepages-64kB/enabled='always inherit madvise [never]'
has 'sizes: not before 6.11' shmem-sizes '^no probe no size of huge pages has a file shmem_enabled$'
kernel 6.10.0 $thp/enabled='[always] madvise never' \
	$thp/hugepages-64kB/shmem_enabled='always inherit within_size advise [never]'
has 'sizes: a backport' shmem-sizes '^yes probe there is a file /sys/.*/hugepages-64kB/shmem_enabled$'
rm "$root/proc/sys/kernel/osrelease"
has 'no release: by what there is' 0005 '^unknown null '

# parameters LINE SIZE-SETTING TOP-SETTING
parameters()
{
	local words='always inherit within_size advise never' top='always within_size advise never deny force'

	kernel 6.12.43 proc/cmdline="$1" $thp/hpage_pmd_size=2097152 $thp/enabled='[always] madvise never' \
		$thp/shmem_enabled="${top/$3/[$3]}" \
		$thp/hugepages-64kB/shmem_enabled="${words/$2/[$2]}" \
		$thp/hugepages-2048kB/shmem_enabled="${words/${4-inherit}/[${4-inherit}]}" \
		$thp/hugepages-64kB/enabled='always inherit madvise [never]' \
		$thp/hugepages-2048kB/enabled='always [inherit] madvise never'
}
yes='^yes probe what the command line says'
parameters 'quiet' never never
has 'parameters: none given' 0005 '^unknown null it shows only with thp_shmem= '
parameters 'thp_shmem=64K:always' always never never
has 'parameters: in effect' 0005 "$yes"
parameters 'thp_shmem=64K:always' never never
has 'parameters: not in effect' 0005 '^unknown null settings are not as the command line says'
parameters 'thp_shmem=64K:never;2M:inherit' never never
has 'parameters: as it would be anyway' 0005 '^unknown null settings are not .* or would be so anyway$'
parameters 'transparent_hugepage_shmem=advise' never advise
has 'parameters: for all sizes' 0005 "$yes"
parameters 'transparent_hugepage_shmem=never' never never
has 'parameters: for all sizes, as it is anyway' 0005 '^unknown null '
parameters 'thp_shmem=64K:sometimes' never never
has 'parameters: a bad one' 0005 '^unknown null '

# --- where they are ---

mkdir -p "$tmp/home/bin/patches" "$tmp/home/build"
cp "$TIERMEM" "$tmp/home/bin/tiermem"
cp "$TIERMEM" "$tmp/home/build/tiermem"
cp -r "$shipped" "$tmp/home/bin/patches/6.12"
mkdir "$tmp/home/patches"
cp -r "$shipped" "$tmp/home/patches/6.12"
run "$tmp/home/bin/tiermem" patches list --json
is 'beside the program' "$status $(doc .folder)" "0 \"$tmp/home/bin/patches/6.12\""
run "$tmp/home/build/tiermem" patches list --json
is 'beside its folder' "$status $(doc .folder)" "0 \"$tmp/home/patches/6.12\""
rm -r "$tmp/home/bin/patches"
mv "$tmp/home/patches" "$tmp/home/moved"
run "$tmp/home/bin/tiermem" patches list
if [[ $status == 0 ]]; then
	skip 'nowhere' 'tiermem is installed here'
else
	like 'nowhere' "$status $err" \
		$'^1 tiermem patches list: /.*/tiermem/patches/6\.12: no patches are there\nhint: `make install` .*--patches DIR'
fi

# refused NAME CODE TEXT HINT ARG...: it fails so, says so, and changes nothing
refused()
{
	local name=$1 code=$2 text=$3 hint=$4

	shift 4
	tiermem patches "$@"
	exits "$code" "$name"
	like "$name: says so" "${err%%$'\n'*}" "$text"
	like "$name: helps" "$err" "$hint"
	is "$name: prints nothing" "$out" ''
	untouched "$name"
}

fresh
mkdir "$tmp/bad"
refused 'a folder without a series' 1 "/bad/series: No such file or directory\$" \
	$'\nhint: --patches takes a folder with patches and a file series$' check --patches "$tmp/bad" "$tree"
# series TEXT...: the lines of a bad series
series()
{
	printf '%s\n' "$@" >"$tmp/bad/series"
}
cp "$shipped/${names[1]}.patch" "$tmp/bad/0002-x.patch"
series '# nothing' ''
refused 'an empty series' 1 '/bad/series: lists no patch$' '' check --patches "$tmp/bad" "$tree"
series 0002-x.patch 0002-x.patch
refused 'a patch twice' 1 "/bad/series:2: '0002-x\\.patch' is there twice\$" '' check --patches "$tmp/bad" "$tree"
for name in ../x.patch /etc/passwd .x.patch -x.patch; do
	series "$name"
	refused "the name $name" 1 "/bad/series:1: '$name' is no plain name" '' check --patches "$tmp/bad" "$tree"
done
series '0002-x.patch -p1'
refused 'an option in the series' 1 'has blanks' '' check --patches "$tmp/bad" "$tree"
series 0002-x.diff
refused 'another ending' 1 'does not end in \.patch$' '' check --patches "$tmp/bad" "$tree"
series 0007-none.patch
refused 'a patch that is not there' 1 '/bad/0007-none\.patch: No such file' '' check --patches "$tmp/bad" "$tree"
series 0003-cut.patch
head -c -20 "$shipped/${names[1]}.patch" | head -n -4 >"$tmp/bad/0003-cut.patch"
refused 'a patch that was cut' 1 '/bad/0003-cut\.patch:[0-9]+: the patch ends within a hunk$' '' \
	check --patches "$tmp/bad" "$tree"
sed 's|mm/migrate.c|../migrate.c|' "$shipped/${names[1]}.patch" >"$tmp/bad/0003-cut.patch"
refused 'a patch that leads out' 1 '/bad/0003-cut\.patch:[0-9]+: its path leads out of the tree$' '' \
	apply --patches "$tmp/bad" "$tree"

# --- check ---

fresh
patches check "$tree"
is 'all apply' "$status $(outcomes) $err" "0 $(all applies) "
like 'what it is' "$out" "^Linux 6\\.12\\.99 in $tree"$'\n'
untouched 'check'
patches check --json "$tree/"
exits 0 '--json'
keeps 'is a document'
is 'what was checked' "$(doc '[.action, .dry_run, .base, .tree.path, .tree.version, .tree.git, .written]')" \
	"[\"check\",false,\"6.12\",\"$tree\",\"6.12.99\",false,false]"
is 'each outcome' "$(doc '[.patches[].outcome] | unique')" '["applies"]'
is 'the files are those of the patches' "$(doc '[.files[].path]')" \
	"$(sed -n 's|^+++ b/||p' "$shipped"/*.patch | sort -u | jq -Rcn '[inputs]')"
patches check -q "$tree"
is '-q' "$status $out" '0 '
patches check --raw "$tree"
is '--raw has no heading' "$(head -n 1 "$out_file")" "PATCH OUTCOME WHERE"
for name in "${names[1]}" "${names[1]}.patch" "${names[1]%%-*}"; do
	patches check "$tree" "$name"
	is "by the name $name" "$status $(outcomes)" "0 $(all applies "${names[1]}")"
done
patches check "$tree" "${names[2]}" "${names[0]}" "${names[0]}"
is 'in series order, each once' "$(outcomes)" "$(all applies "${names[0]}" "${names[2]}")"
refused 'a name that there is not' 2 "'0099' is no patch of $shipped\$" \
	$'\nhint: `tiermem patches list` lists them; a number is enough, as 0001$' check --patches "$shipped" "$tree" 0099
refused 'a name misspelt' 2 'is no patch of' "hint: did you mean ${names[1]}\\?\$" \
	check --patches "$shipped" "$tree" "${names[1]/-/_}"
refused 'no sources given' 2 'check: needs DIR$' '' check --patches "$shipped"
refused 'sources that are not there' 1 '/none: No such file' '' check --patches "$shipped" "$tmp/none"
refused 'a file' 1 'Makefile: Not a directory' '' check --patches "$shipped" "$tree/Makefile"
refused 'no sources of Linux' 1 'holds no sources of Linux: it has no Makefile$' \
	'hint: .*linux-source-6\.12$' check --patches "$shipped" "$tmp/bad"
refused 'sources of something else' 1 'holds no sources of Linux: its Makefile tells no version$' \
	'hint: .*linux-source-6\.12$' check --patches "$shipped" "$top"
refused '--root' 2 '--root' '' check --root "$root" --patches "$shipped" "$tree"
refused '--dry-run' 2 '--dry-run' '' check --dry-run --patches "$shipped" "$tree"

sed -i 's/^PATCHLEVEL = .*/PATCHLEVEL = 1/; s/^EXTRAVERSION =/& -rc3/' "$tree/Makefile"
patches check "$tree"
is 'another release: a warning' "$status $err" \
	"0 tiermem patches check: warning: $tree: is Linux 6.1.99-rc3, and the patches are for 6.12"
patches check -q "$tree"
is 'none with -q' "$err" ''

# Moved, conflicting, missing.
migrate=$(file_of 0002-migrate-lone-folio 1)
fresh
sed -i '1i/* one */\n/* two */' "$tree/$migrate"
sed -i '400i/* three */' "$tree/$migrate"
before=$(sum_of "$tree")
patches check "$tree"
is 'moved: all apply' "$status $(outcomes)" "0 $(all applies)"
like 'and how far' "$out" $'\n0002-[^\n]* [0-9]+ hunks moved, by up to 3 lines\n'
patches check --json "$tree" 0002
is 'as numbers' "$(doc '.patches[0] | [.moved_lines, .moved_hunks == .hunks]')" '[3,true]'
keeps 'a document'

fresh
# The second hunk's first line.
number=$(grep -n '^@@' "$shipped/0002-migrate-lone-folio.patch" | sed -n '2s/:.*//p')
line=$(sed -n "${number}s/^@@ -\([0-9]*\).*/\1/p" "$shipped/0002-migrate-lone-folio.patch")
sed -i "${line}s/.*/int other;/" "$tree/$migrate"
rm "$tree/$(file_of "$last" 1)"
before=$(sum_of "$tree")
patches check "$tree"
exits 5 'a conflict'
like 'is told with its place' "$out" \
	$'\n'"0002-migrate-lone-folio +conflict +$migrate: hunk 2, line $line: 'int other;' where the patch has '.+'"$'\n'
like 'a missing file too' "$out" $'\n'"$last +missing +$(file_of "$last" 1) is not there\$"
untouched 'a conflict'
patches check --json "$tree"
exits 5 'with --json'
keeps 'the document comes all the same'
is 'the place' "$(doc '.patches[] | select(.outcome == "conflict") | .conflict |
	[.file, .hunk, .patch_line, .line, .found]')" "[\"$migrate\",2,$number,$line,\"int other;\"]"
is 'what is wanted is there' "$(doc '.patches[] | select(.outcome == "conflict") | .conflict.wanted')" \
	"$(sed -n "$((number + 1))s/^.//p" "$shipped/0002-migrate-lone-folio.patch" | jq -R .)"
is 'a missing file has no place' "$(doc '.patches[-1].conflict | [.why, .hunk, .line]')" '["is not there",null,null]'
patches check "$tree" 0002
exits 5 'that one alone'
patches check "$tree" 0001
exits 0 'another alone'

# Nothing is read through links, nor from what is no file.
fresh
mv "$tree/mm" "$tmp/mm"
ln -s ../mm "$tree/mm"
before=$(sum_of "$tree")
refused 'a folder that is a link' 1 "mm/[a-z]+\\.c: is a link or below one, and is not followed\$" '' \
	check --patches "$shipped" "$tree"
refused 'nor is it written through' 1 "is not followed\$" '' apply --patches "$shipped" "$tree"
rm -r "$tmp/mm"
fresh
mv "$tree/$migrate" "$tmp/migrate.c"
ln -s "$tmp/migrate.c" "$tree/$migrate"
before=$(sum_of "$tree")
refused 'a file that is a link' 1 "/$migrate: is a link or below one, and is not followed\$" '' \
	apply --patches "$shipped" "$tree"
rm "$tree/$migrate"
mkfifo "$tree/$migrate"
before=$(sum_of "$tree")
refused 'a pipe' 1 "/$migrate: is no plain file\$" '' apply --patches "$shipped" "$tree"

valid_json 'all documents keep to their schemas' "$tmp/documents"
done_testing
