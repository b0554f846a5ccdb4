#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 0005: the words for huge pages of shared memory bring a kernel to the settings that they were made of; what cannot be
# understood is refused, with a message, and changes nothing; and the newest kernel makes the same of every line.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

vm_need newest
settings=$top/tests/vm/guest/mthp-settings.sh:/vm/mthp-settings.sh
# Kernels are built with different defaults of it.
always=transparent_hugepage=madvise
shmem=transparent_hugepage_shmem

# Each line is refused as a whole. Most of them name 64K, which would show.
mapfile -t bad <<'END'
thp_shmem=
thp_shmem=64K
thp_shmem=64K:
thp_shmem=:always
thp_shmem=64K:madvise
thp_shmem=64K:force
thp_shmem=64K:ALWAYS
thp_shmem=48K:always
thp_shmem=4K:always
thp_shmem=4M:always
thp_shmem=1G:always
thp_shmem=0:always
thp_shmem=big:always
thp_shmem=128K-64K:always
thp_shmem=64K-4M:always
thp_shmem=-64K:always
thp_shmem=64K-:always
thp_shmem=64K:always;
thp_shmem=;64K:always
thp_shmem=64K:always;128K
thp_shmem=32K:always;64K:madvise
thp_shmem=64K,:always
thp_shmem=,64K:always
thp_shmem=64K,48K:always
thp_shmem=64K:always:never
thp_shmem=64K::always
thp_shmem=always
END
mapfile -t bad_top <<'END'
transparent_hugepage_shmem=
transparent_hugepage_shmem=yes
transparent_hugepage_shmem=inherit
transparent_hugepage_shmem=madvise
transparent_hugepage_shmem=ALWAYS
transparent_hugepage_shmem=always,never
END
good='thp_shmem=16K-64K:always;128K,512K:advise;1M:within_size;2M:inherit'

# twice NAME WORDS: boots both kernels with them
twice()
{
	vm_boot "$1-patched" --machine plain --kernel "$patched" --script "$(guest shmem-boot)" --add "$settings" --append "$always $2"
	vm_boot "$1-newest" --machine plain --kernel newest --script "$(guest shmem-boot)" --add "$settings" --append "$always $2"
}

# sizes NAME: what `mthp show` says, in short
sizes()
{
	jq -c '[.top_level.shmem_enabled, (.sizes[] | [.size_bytes, .shmem_enabled])]' "$(vm_out "$1")/show.json"
}

# alike NAME: both have ended, and have come to the same; $got is what
alike()
{
	vm_ended "$1-patched"
	vm_ended "$1-newest"
	same "$1: the settings are those of the newest kernel" "$(vm_out "$1-newest")/settings" "$(vm_out "$1-patched")/settings"
	is "$1: and by mthp show" "$(sizes "$1-patched")" "$(sizes "$1-newest")"
	got=$(cat "$(vm_out "$1-patched")/settings")
}

# shmem_of: the settings of shared memory among $got
shmem_of()
{
	sed -n 's/^shmem_enabled \(.*\)/top=\1/p; s/^hugepages-\(.*\)kB.shmem_enabled /\1=/p' <<<"$got" | sort -V | paste -sd' '
}

vm_boot make-newest --machine plain --kernel newest --script "$(guest shmem-make)" --add "$settings"
vm_boot make-patched --machine plain --kernel "$patched" --script "$(guest shmem-make)" --add "$settings"
twice default ''
twice bad "${bad[*]} ${bad_top[*]}"
twice good-bad "$good $shmem=advise ${bad[*]} ${bad_top[*]}"
# What follows a size is not looked at.
twice odd "$shmem=always thp_shmem=16K-32K-1M:always thp_shmem=128Kbytes:advise thp_shmem=2M:never $shmem=never"
twice deny "$shmem=deny"
twice force "$shmem=force"
twice force-sizes "$good $shmem=force"
twice parts 'thp_shmem=64K:always thp_shmem=64K:never thp_shmem=2M:advise thp_shmem=32K-128K:inherit;64K:advise'

# ---- from a state to words, and back to it

vm_ended make-newest
vm_ended make-patched
state=$(cat "$(vm_out make-newest)/settings")
is 'a state is set on both' "$(cat "$(vm_out make-patched)/settings")" "$state"
words_made=$(cat "$(vm_out make-newest)/words")
is 'bootargs makes words' "$(cat "$(vm_out make-newest)/words.rc")" 0
like 'with sizes of shared memory' "$words_made" thp_shmem=
is 'the patched kernel makes the same for 6.13' "$(cat "$(vm_out make-patched)/words-for")" "$words_made"
twice again "$words_made"
alike again
is 'booted with them the state is the same' "$got" "$state"

# ---- what each line comes to

alike default
default=$got
alike bad
is 'bad lines change nothing' "$got" "$default"
for line in "${bad[@]}"; do
	ok "there is a message about $line" grep -qF "$line: " "$(vm_out bad-patched)/said"
	ok "there is one of the newest kernel too" grep -qF "$line: " "$(vm_out bad-newest)/said"
done
is 'and one for each that is of the top level' "$(grep -c "^.*$shmem=.*cannot parse" "$(vm_out bad-patched)/said")" "${#bad_top[@]}"
alike good-bad
is 'bad ones leave what a good one has set' "$(shmem_of)" \
	'8=never 16=always 32=always 64=always 128=advise 256=never 512=advise 1024=within_size 2048=inherit top=advise'
alike odd
is 'odd ones' "$(shmem_of)" \
	'8=never 16=always 32=always 64=never 128=advise 256=never 512=never 1024=never 2048=never top=never'
alike parts
is 'lines add up, the last one counts' "$(shmem_of)" \
	'8=never 16=never 32=inherit 64=advise 128=inherit 256=never 512=never 1024=never 2048=advise top=never'

# ---- neither is a policy of the internal mount: both come to never

# top_level NAME: the top-level policy, and whether something was said about the word
top_level()
{
	local said=

	[[ ! -s $(vm_out "$1")/said ]] || said=', refused'
	printf '%s%s\n' "$(sed -n 's/^shmem_enabled //p' "$(vm_out "$1")/settings")" "$said"
}

rows=()
for name in deny force force-sizes; do
	alike "$name"
	is "$name: refused as by the newest kernel, or not" "$(top_level "$name-patched")" "$(top_level "$name-newest")"
	line=$shmem=${name%-sizes}
	[[ $name != *-sizes ]] || line="$good $line"
	rows+=("| \`$line\` | $(top_level "$name-patched") | $(top_level "$name-newest") |")
done

figures 0005 <<END
### 0005 shmem: boot parameters for per-size settings

The words that \`tiermem mthp bootargs\` printed for a state, and what \`tiermem mthp show\` said after booting with them:

    $words_made
    $(sizes again-patched)

${#bad[@]} lines of \`thp_shmem=\` and ${#bad_top[@]} of \`$shmem=\` that cannot be understood: each was refused with a message, and no setting
changed. On Linux $(jq -r .kernel "$(vm_out odd-newest)/show.json") the same lines were refused, and all came to the same settings, these too:

| words | top-level policy of 6.12 with the patch | of the newest |
|---|---|---|
$(printf '%s\n' "${rows[@]}")
END
done_testing
