#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# patches/6.12: each applies alone to Debian's source and all do in order, without fuzz; checkpatch has nothing to say; and
# what they touch compiles for x86-64 and arm64 without a warning that the base does not have. No kernel is linked.

set -u
top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
kernel=$top/tools/kernel
build=${KERNEL_BUILD:-$top/build/kernel}
check=$build/check
tests=0
failures=0
export LC_ALL=C

# name, ARCH, configuration
targets=(
	"x86_64 x86_64 $top/tests/kernel/config"
	"arm64 arm64 $top/tests/kernel/config"
	"bare x86_64 $top/tests/patches/config.bare"
)

diag()
{
	printf "%s\n" "# ${*//$'\n'/$'\n'# }" >&2
}

# result NAME: passes if the last command did; what it had to say is in $said
result()
{
	local code=$?

	if ((code == 0)); then
		printf 'ok %d - %s\n' $((++tests)) "$1"
	else
		printf 'not ok %d - %s\n' $((++tests)) "$1"
		((++failures))
		diag "$said"
	fi
	return $code
}

bail()
{
	printf 'Bail out! %s\n' "$*"
	exit 1
}

# Git takes no account of the repository that build/ may be in.
git_apply()
{
	(cd "$1" && GIT_CEILING_DIRECTORIES=${1%/*} git apply "${@:2}")
}

# touched PATCH...: the files that it names
touched()
{
	sed -n 's,^+++ b/,,p' "$@" | sort -u
}

# objects TARGET PATCH...: what is compiled of them for it
objects()
{
	local target=$1 file

	shift
	touched "$@" | while read -r file; do
		[[ $file == *.[cS] ]] || continue
		case $target:$file in
		arm64:arch/x86/* | bare:mm/mempolicy.c | bare:drivers/base/node.c) continue ;;
		# Not compiled where the option is off.
		arm64:mm/tlb_defer.c | bare:mm/tlb_defer.c | bare:mm/page_ext.c | bare:mm/page_reporting.c) continue ;;
		esac
		# A new file is only where its patch is.
		[[ -e $check/tree/$file ]] || continue
		printf '%s.o\n' "${file%.[cS]}"
	done
}

# configure TARGET ARCH FILE: for the tree as it is; x86-64 with what the patches may be built with
configure()
{
	local target=$1 arch=$2 fragment=$check/$1.config

	cp "$3" "$fragment.new" || return
	if [[ $target == x86_64 ]] && grep -qx 'config TLB_DEFER' "$check/tree/mm/Kconfig"; then
		cat "$top/tests/kernel/config.patched" >>"$fragment.new"
	fi
	[[ -e $check/$target/.config ]] && cmp -s "$fragment.new" "$fragment" && return
	mv "$fragment.new" "$fragment"
	said=$("$kernel" config "$arch" "check/$target" "$fragment" check/tree 2>&1) || bail "$said"
	# What every object needs.
	"$kernel" make "$arch" "check/$target" -s prepare >"$check/$target/prepare.log" 2>&1 ||
		bail "$target: $(tail -n 5 "$check/$target/prepare.log")"
}

# compile TARGET ARCH FILE NAME PATCH...: the tree as it is; what the compiler said goes to NAME.warnings
compile()
{
	local target=$1 arch=$2 name=$4 list object once=()

	configure "$1" "$2" "$3"
	shift 4
	mapfile -t list < <(objects "$target" "$@")
	: >"$check/$target/$name.warnings"
	((${#list[@]})) || return 0
	# The kernel's own make goes to this folder twice at the same time.
	for object in "${list[@]}"; do
		[[ $object != arch/x86/lib/* ]] || once=(-j1)
	done
	"$kernel" make "$arch" "check/$target" -s "${once[@]}" W=1 "${list[@]}" >"$check/$target/$name.log" 2>&1 || return
	# Lines move; what is said about them counts.
	grep -E '(warning|error): ' "$check/$target/$name.log" | sed -E 's/:[0-9]+(:[0-9]+)?:/:/' |
		sort >"$check/$target/$name.warnings"
}

# fresh TARGET ARCH FILE NAME PATCH...: compiles, and fails where the base has not warned so. $said
fresh()
{
	local target=$1 name=$4

	if ! compile "$@"; then
		said=$(tail -n 20 "$check/$target/$name.log")
		return 1
	fi
	said=$(comm -13 "$check/$target/base.warnings" "$check/$target/$name.warnings")
	[[ -z $said ]]
}

mapfile -t series < <("$kernel" series)
((${#series[@]})) || bail "there is no series"
"$kernel" source || bail "no source"
mkdir -p "$check"
base=$build/source

said=$(diff <(printf '%s\n' "${series[@]##*/}" | sort) <(cd "$top/patches/6.12" && ls -- *.patch))
result 'the series names every patch'
for patch in "${series[@]}"; do
	name=${patch##*/}
	said=$(git_apply "$base" --check --whitespace=error-all "$patch" 2>&1)
	result "$name applies alone, without fuzz"
	said=$(cd "$base" && perl scripts/checkpatch.pl --strict --no-signoff --no-summary --terse "$patch" 2>&1)
	result "$name: checkpatch --strict has nothing to say"
done
said=$("$kernel" tree check/tree "${series[@]}" 2>&1)
result 'all apply in order, without fuzz' || { printf '1..%d\n' "$tests"; exit 1; }
said=
mapfile -t reversed < <(printf '%s\n' "${series[@]}" | tac)
cp -al "$check/tree" "$check/reversed" &&
	for patch in "${reversed[@]}"; do
		said+=$(patch -d "$check/reversed" -p1 -s -f -F0 -R --no-backup-if-mismatch <"$patch" 2>&1)
	done
said+=$(touched "${series[@]}" | while read -r file; do
	[[ -e $base/$file || -e $check/reversed/$file ]] && cmp "$base/$file" "$check/reversed/$file" 2>&1
done)
[[ -z $said ]]
result 'and come off again, leaving the base'
rm -rf "${check:?}/reversed"

# ---- compiling: one tree, one patch after the other, then all

"$kernel" tree check/tree
for target in "${targets[@]}"; do
	read -r name arch config <<<"$target"
	rm -rf "${check:?}/$name"
	compile "$name" "$arch" "$config" base "${series[@]}" || bail "$name: the base: $(tail -n 5 "$check/$name/base.log")"
done
for patch in "${series[@]}"; do
	said=$("$kernel" tree check/tree "$patch" 2>&1) || bail "$said"
	for target in "${targets[@]}"; do
		read -r name arch config <<<"$target"
		short=${patch##*/}
		fresh "$name" "$arch" "$config" "${short%%-*}" "$patch"
		result "$short alone: no new warning, $name"
	done
done
said=$("$kernel" tree check/tree "${series[@]}" 2>&1) || bail "$said"
for target in "${targets[@]}"; do
	read -r name arch config <<<"$target"
	fresh "$name" "$arch" "$config" all "${series[@]}"
	result "all: no new warning, $name"
	diag "$name: $(wc -l <"$check/$name/base.warnings") warnings before, $(wc -l <"$check/$name/all.warnings") after"
done
printf '1..%d\n' "$tests"
exit $((failures > 0))
