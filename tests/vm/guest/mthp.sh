# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# mthp-*.t: whether the kernel takes each value that it documents from tiermem, and what it refuses is refused before.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
# shellcheck source=tests/vm/guest/mthp-settings.sh
. /vm/mthp-settings.sh

# everything: all settings of huge pages, with their values
everything()
{
	(
		cd $thp || exit
		for file in enabled shmem_enabled defrag use_zero_page shrink_underused khugepaged/* hugepages-*/*enabled; do
			case $file in */full_scans | */pages_collapsed) continue ;; esac
			echo "$file $(active "$file")"
		done
	)
}

# shown KEY: what `mthp show` says of a setting for all sizes
shown()
{
	tiermem mthp show | awk -v key="$1" '$1 == key { $1 = ""; print substr($0, 2) }' | sed 's/.*\[\(.*\)\].*/\1/; s/ .*//'
}

# every_value KEY FILE: each word that the file lists is set, and read back by tiermem and without it
every_value()
{
	_failed=
	for _word in $(tr -d '[]' <"$thp/$2"); do
		tiermem mthp set top "$1=$_word" >/tmp/out 2>/tmp/err || _failed="$_failed $_word (refused)"
		[ "$(active "$thp/$2")" = "$_word" ] || _failed="$_failed $_word (not there)"
		[ "$(shown "$1")" = "$_word" ] || _failed="$_failed $_word (shown: $(shown "$1"))"
	done
	tap_is "$_failed" "" "top $1: every value"
}

# every_size KEY FILE: the same for that file of every size that has it
every_size()
{
	_failed=
	for _word in $(tr -d '[]' <"$thp/hugepages-64kB/$2"); do
		tiermem mthp set all "$1=$_word" >/tmp/out 2>/tmp/err || _failed="$_failed $_word (refused)"
		_wanted=
		for _kib in $sizes; do
			_file=$thp/hugepages-${_kib}kB/$2
			[ -e "$_file" ] || continue
			_wanted="$_wanted$_word "
			[ "$(active "$_file")" = "$_word" ] || _failed="$_failed $_kib=$_word"
		done
		_shown=$(tiermem mthp show --raw --noheadings -o "$1" | grep -v n/a | tr '\n' ' ')
		[ "$_shown" = "$_wanted" ] || _failed="$_failed $_word (shown: $_shown)"
	done
	tap_is "$_failed" "" "$1 of each size: every value"
}

# value TARGET KEY VALUE FILE TEXT: is set, and the file says TEXT
value()
{
	exits 0 "$1 $2=$3" tiermem mthp set "$1" "$2=$3"
	tap_is "$(cat "$thp/$4")" "$5" "$1 $2=$3 is there"
}

# refused CODE PATTERN WORD...: `mthp set WORD...` exits so and says so, and nothing has changed
refused()
{
	_code=$1
	_pattern=$2
	shift 2
	_before=$(everything)
	exits "$_code" "refused: $*" tiermem mthp set "$@"
	says "it says why: $*" "$_pattern"
	tap_is "$(everything)" "$_before" "nothing was written: $*"
}

# kernel_refuses FILE WORD
kernel_refuses()
{
	if echo "$2" 2>/dev/null >"$thp/$1"; then
		tap_not_ok "the kernel itself refuses $2 in $1"
	else
		tap_ok "the kernel itself refuses $2 in $1"
	fi
}

start=$(everything)

# --- every value ---

sizes=$(echo $thp/hugepages-* | tr ' ' '\n' | sed 's/.*-\(.*\)kB$/\1/' | sort -n)
tap_is "$(echo "$sizes" | tr '\n' ' ' | sed "s/ $//")" "8 16 32 64 128 256 512 1024 2048" "the sizes of this machine"
every_size enabled enabled
every_size shmem shmem_enabled
tiermem mthp set all enabled=never shmem=never pmd enabled=inherit shmem=inherit >/dev/null
every_value enabled enabled
every_value shmem shmem_enabled
every_value defrag defrag
for switch in use-zero-page:use_zero_page shrink-underused:shrink_underused khugepaged-defrag:khugepaged/defrag; do
	value top "${switch%:*}" off "${switch#*:}" 0
	value top "${switch%:*}" on "${switch#*:}" 1
done
for number in pages-to-scan:1 pages-to-scan:4294967295 scan-sleep:0 scan-sleep:4294967295 alloc-sleep:0 \
	alloc-sleep:10000 max-ptes-none:0 max-ptes-none:511 max-ptes-swap:511 max-ptes-shared:511; do
	file=$(echo "${number%:*}" | tr - _)
	case $file in *_sleep) file=${file}_millisecs ;; esac
	value top "khugepaged-${number%:*}" "${number#*:}" "khugepaged/$file" "${number#*:}"
done

# --- what is refused ---

tiermem mthp preset default >/dev/null
tiermem mthp set top shmem=never >/dev/null
refused 2 'did you mean advise' 64K shmem=madvise
refused 2 'did you mean madvise' 64K enabled=advise
refused 2 'it takes' top shmem=inherit
refused 2 'it takes' 64K shmem=force
refused 3 'hugepages-8kB/enabled' 8K enabled=always
refused 3 'it has 8K' 48K enabled=always
refused 2 'from 1' top khugepaged-pages-to-scan=0
refused 1 '0 to 511' top khugepaged-max-ptes-none=512
kernel_refuses khugepaged/max_ptes_none 512
refused 1 'while a size other than 2M inherits: 64K' 64K shmem=inherit top shmem=force
refused 1 'only while 2M inherits' 2M shmem=never top shmem=force
echo inherit >$thp/hugepages-64kB/shmem_enabled
kernel_refuses shmem_enabled force
refused 1 'while a size other than 2M inherits: 64K' top shmem=force
exits 0 "its way out works" tiermem mthp set 64K shmem=never top shmem=force
tap_is "$(active $thp/shmem_enabled)" force "force is set"
refused 1 'is refused while top shmem' 64K shmem=inherit
kernel_refuses hugepages-64kB/shmem_enabled inherit
exits 0 "leaving it first" tiermem mthp set 64K shmem=inherit top shmem=never
exits 0 "undo goes the other way" tiermem undo
tap_is "$(active $thp/shmem_enabled) $(active $thp/hugepages-64kB/shmem_enabled)" "force never" "undo"

# The kernel would not take "force" back.
echo never >$thp/hugepages-2048kB/shmem_enabled
refused 1 '--accept' top shmem=never
exits 0 "with --accept" tiermem mthp set top shmem=never --accept
kernel_refuses shmem_enabled force
tiermem mthp set pmd shmem=inherit >/dev/null

before=$(everything)
exits 1 "an ordinary user sets nothing" su -s /bin/sh nobody -c 'tiermem mthp set 64K shmem=always'
says "permission denied" 'Permission denied'
mount -o remount,ro /sys
exits 1 "read-only /sys" tiermem mthp set 64K shmem=always 128K enabled=always
says "it says so" 'Read-only file system'
mount -o remount,rw /sys
tap_is "$(everything)" "$before" "nothing was written"

# --- presets ---

# So that each has something to do.
tiermem mthp set top defrag=defer khugepaged-scan-sleep=7 64K enabled=always shmem=advise >/dev/null
for preset in default off database-shmem throughput low-latency; do
	before=$(everything)
	exits 0 "preset $preset" tiermem mthp preset "$preset"
	exits 0 "preset $preset again" tiermem mthp preset "$preset"
	tap_is "$(tail -n 1 /tmp/out)" "nothing to do: it is so already" "preset $preset is there"
	exits 0 "undo of $preset" tiermem undo
	tap_is "$(everything)" "$before" "undo of $preset puts all back"
done

# --- 64K pages of shared memory ---

exits 0 "64K for shared memory" tiermem mthp set all shmem=never 64K shmem=always top shmem=never
allocated()
{
	tiermem mthp show --raw --noheadings -o shalloc,shfell "$1" | tr '\n' ' '
}
# shellcheck disable=SC2046
set -- $(allocated 64K)
alloc=$1 fell=$2
exits 0 "256 MiB are shared" share 268435456
# shellcheck disable=SC2046
set -- $(allocated 64K)
tap_is "$(($1 - alloc + $2 - fell))" 4096 "so many allocations of 64K were tried"
tap_is "$(($1 - alloc > 4000))" 1 "and made ($(($1 - alloc)) of them)"
emit_run show.json tiermem mthp show --json
exits 0 "off again" tiermem mthp set 64K shmem=never
# shellcheck disable=SC2046
set -- $(allocated 64K)
alloc=$1
exits 0 "256 MiB more" share 268435456
# shellcheck disable=SC2046
set -- $(allocated 64K)
tap_is "$(($1 - alloc))" 0 "none of 64K now"

# --- a state for the next boot ---

exits 0 "a state" tiermem mthp set top enabled=madvise shmem=advise 16K-64K enabled=madvise 128K,1M enabled=always \
	2M enabled=inherit 256K,512K enabled=never 16K,32K shmem=inherit 64K shmem=always 128K-512K shmem=advise \
	2M shmem=within_size
tiermem mthp bootargs 2>/tmp/err | emit words
emit notes /tmp/err
mthp_settings | emit settings
emit_run bootargs.json tiermem mthp bootargs --json
[ -n "$start" ] || exit 1
exit 0
