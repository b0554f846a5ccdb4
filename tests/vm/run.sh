# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run-MACHINE-KERNEL.t: `tiermem run` on a real kernel. What must hold is told by the guest.

# shellcheck source=tests/vm/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

helpers=${TIERMEM_HELPERS:-$top/build/run-helpers}
library=${TIERMEM%/*}/libtiermem-large.so
[[ -e $library ]] || library=$top/build/libtiermem-large.so

# run_test MACHINE KERNEL [vm ARG...]
run_test()
{
	local name=run-$1-$2 libnuma file

	vm_need "$2"
	libnuma=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libnuma\.so\.1 .*x86-64.* => //p' | head -n 1)
	[[ -n $libnuma ]] || skip_all "no libnuma on this machine"
	vm_boot "$name" --machine "$1" --kernel "$2" --script "$top/tests/vm/guest/run.sh" --program "$libnuma" \
		--program script \
		--add "$library:/usr/local/lib/tiermem/libtiermem-large.so" \
		--add "$helpers/spread:/usr/bin/spread" --add "$helpers/places:/usr/bin/places" "${@:3}"
	vm_ended "$name"
	for file in "$(vm_out "$name")"/*.json; do
		[[ -e $file ]] && valid_json "${file##*/} keeps to its schema" "$file"
	done
}
