# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For tests that boot machines: source it first. It brings all of tests/cli/lib.sh along, and
#
#	vm_need KERNEL...		skips the whole file where machines cannot be booted; fetches what they need
#	vm_boot NAME ARG...		starts `vm run ARG...`; what the guest emits goes to $(vm_out NAME). At most two
#					machines run at a time, however many are started
#	vm_ended NAME [CODE]		waits for it. Passes if it ended with CODE (0) and, unless told otherwise, the
#					kernel had nothing to complain about. The lines of TAP of the guest follow
#	vm_log NAME			what `vm run` itself said
#	json_is NAME FILE FILTER WANTED	what jq says of a file, as compact JSON
#
# TIERMEM_NO_VM skips them all; TIERMEM_VM_OUT names a folder that keeps what the machines left behind.

# Before HOME becomes a folder of the test's own.
export TIERMEM_CACHE=${TIERMEM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tiermem}
# The command line's demonstration program is of no use here, and need not be built.
: "${TIERMEM_DEMO:=/bin/true}"

# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/../cli/lib.sh"

vm=$top/tests/vm/vm
vm_folder=${TIERMEM_VM_OUT:-$tmp/vm}
declare -A vm_pid=()

mkdir -p "$vm_folder" || exit 1
trap 'kill "${vm_pid[@]}" 2>/dev/null; rm -rf -- "$tmp"' EXIT

vm_need()
{
	local program

	[[ -z ${TIERMEM_NO_VM-} ]] || skip_all "TIERMEM_NO_VM is set"
	for program in busybox jq python3 ldd; do
		command -v "$program" >/dev/null || skip_all "no $program on this machine"
	done
	"$top/tests/vm/fetch" qemu "${@/#/kernel-}" 2>"$tmp/.fetch" ||
		skip_all "kernels or QEMU could not be fetched: $(tail -n 1 "$tmp/.fetch")"
}

vm_out()
{
	printf '%s\n' "$vm_folder/$1"
}

vm_log()
{
	cat "$vm_folder/$1.log"
}

vm_boot()
{
	local name=$1

	shift
	rm -rf "${vm_folder:?}/$name"
	"$vm" run --out "$vm_folder/$name" "$@" >"$vm_folder/$name.log" 2>&1 &
	vm_pid[$name]=$!
}

vm_ended()
{
	local name=$1 wanted=${2-0} code line

	wait "${vm_pid[$name]}"
	code=$?
	unset "vm_pid[$name]"
	is "$name: the machine ends with $wanted" "$code" "$wanted"
	if [[ $code != "$wanted" ]]; then
		diag "$(vm_log "$name")"
		diag "$(tail -n 20 "$vm_folder/$name/console.log" 2>/dev/null)"
	elif [[ $(cat "$vm_folder/$name/retries") != 0 ]]; then
		diag "$(vm_log "$name")"
	fi
	[[ -e $vm_folder/$name/tap ]] || return 0
	while IFS= read -r line; do
		case $line in
		'ok - '*) pass "$name: ${line#*- }" ;;
		'not ok - '*) fail "$name: ${line#*- }" ;;
		*) diag "${line#\#}" ;;
		esac
	done <"$vm_folder/$name/tap"
}

json_is()
{
	is "$1" "$(jq -c "$3" "$2" 2>&1)" "$4"
}
