# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run-MACHINE-KERNEL.t: `tiermem run` on a real kernel. What must hold is told by the guest.

# shellcheck source=tests/vm/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

helpers=${TIERMEM_HELPERS:-$top/build/run-helpers}
library=${TIERMEM%/*}/libtiermem-large.so
[[ -e $library ]] || library=$top/build/libtiermem-large.so

# run_boot NAME MACHINE KERNEL SCRIPT [vm ARG...]: with what `tiermem run` and the scripts need
run_boot()
{
	local name=$1 machine=$2 kernel=$3 script=$4 libnuma

	vm_need "$kernel"
	libnuma=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libnuma\.so\.1 .*x86-64.* => //p' | head -n 1)
	[[ -n $libnuma ]] || skip_all "no libnuma on this machine"
	vm_boot "$name" --machine "$machine" --kernel "$kernel" --script "$top/tests/vm/guest/$script" \
		--program "$libnuma" --add "$library:/usr/local/lib/tiermem/libtiermem-large.so" \
		--add "$helpers/spread:/usr/bin/spread" "${@:5}"
	vm_ended "$name"
}

# run_test MACHINE KERNEL [vm ARG...]
run_test()
{
	local name=run-$1-$2 file

	run_boot "$name" "$1" "$2" run.sh --program script --add "$helpers/places:/usr/bin/places" "${@:3}"
	for file in "$(vm_out "$name")"/*.json; do
		[[ -e $file ]] && valid_json "${file##*/} keeps to its schema" "$file"
	done
}
