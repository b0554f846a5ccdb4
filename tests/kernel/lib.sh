# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of kernels of our own, which `tools/kernel build` makes: source it first. It brings tests/vm/lib.sh along, and
#
#	$base, $patched		the kernels, without and with patches/6.12
#	$libnuma		which benchmarks load
#	own_kernels		like vm_need, where no other kernels are booted
#	guest NAME		the script tests/kernel/guest/NAME.sh
#	same NAME FILE FILE	passes if they are
#	figures NAME		standard input becomes a section of the figures that the run collects

# shellcheck source=tests/vm/lib.sh
. "${BASH_SOURCE[0]%/*}/../vm/lib.sh"

kernels=${KERNEL_BUILD:-$top/build/kernel}
base=$kernels/base.bzImage
patched=$kernels/patched.bzImage
for kernel in "$base" "$patched"; do
	[[ -e $kernel ]] && continue
	printf 'Bail out! no %s: tools/kernel build makes it\n' "$kernel"
	exit 1
done
libnuma=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libnuma\.so\.1 .*x86-64.* => //p' | head -n 1)
[[ -n $libnuma ]] || skip_all "no libnuma on this machine"

# Those that compare with no kernel of Debian's.
own_kernels()
{
	set --
	vm_need "$@"
}

guest()
{
	printf '%s\n' "$top/tests/kernel/guest/$1.sh"
}

figures()
{
	mkdir -p "$kernels/figures"
	cat >"$kernels/figures/$1.md"
}

same()
{
	local said

	if said=$(diff -U 1 "$2" "$3" 2>&1); then
		pass "$1"
	else
		fail "$1"
		diag "${said//$'\n'/$'\n'# }"
	fi
}
