#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 0001: the files of the weights behave as those of the newest kernel, and tiermem sees no difference.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

vm_need newest
hotplug=(--memory-hotplug 512M --append memhp_default_state=offline)

# pair NAME ARG...: the same machine with both kernels
pair()
{
	vm_boot "$1-patched" --kernel "$patched" --script "$(guest weights)" "${@:2}"
	vm_boot "$1-newest" --kernel newest --script "$(guest weights)" "${@:2}"
}

# steady_json FILE: without what differs from boot to boot
steady_json()
{
	jq -S 'del(.kernel, .time, .host, .boot_id)' "$1"
}

# compare NAME: their transcripts and documents
compare()
{
	local name=$1 file what one two

	vm_ended "$name-patched"
	vm_ended "$name-newest"
	one=$(vm_out "$name-patched") two=$(vm_out "$name-newest")
	for what in transcript said; do
		ok "$name: there is a $what" test -s "$one/$what"
		same "$name: $what" "$two/$what" "$one/$what"
	done
	for file in "$two"/*.json; do
		what=${file##*/}
		steady_json "$file" >"$tmp/newest.json"
		steady_json "$one/$what" >"$tmp/patched.json"
		same "$name: $what" "$tmp/newest.json" "$tmp/patched.json"
	done
}

pair A --machine A
pair plain --machine plain
pair hot --machine A "${hotplug[@]}"
for name in A plain hot; do
	compare "$name"
done

boots()
{
	local name

	for name in A plain hot; do
		printf '| %s | %s |\n' "$name" "$(sed -n '1s/^ *//p' "$(vm_out "$name-patched")/transcript")"
	done
}

lines=$(cat "$vm_folder"/{A,plain,hot}-patched/transcript | wc -l)
documents=$(find "$vm_folder"/{A,plain,hot}-patched -name '*.json' | wc -l)
verdict='no difference'
((failures == 0)) || verdict='**there are differences**'
figures 0001 <<END
### 0001 weighted interleave: automatic weights

$lines lines of reads and writes of \`/sys/kernel/mm/mempolicy/weighted_interleave\` on three machines, and $documents documents
of \`tiermem weights\` and \`undo\`, compared with those of Linux $(jq -r .kernel "$(vm_out A-newest)/show.json"): $verdict.

| machine | at boot |
|---|---|
$(boots)
END
done_testing
