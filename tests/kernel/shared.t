#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Huge pages of shared memory by size need no patch: 6.12 has them, and they pay.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

own_kernels
vm_boot shared --machine A --kernel "$base" --script "$(guest shared)" --program "$libnuma"
vm_ended shared
out=$(vm_out shared)
for name in off on; do
	valid_json "$name keeps to its schema" "$out/$name.json"
	is "$name: ends well" "$(cat "$out/$name.json.rc")" 0
done

# median NAME KEY
median()
{
	jq "[.cases[].metrics[] | select(.key == \"$2\").median][0]" "$out/$1.json"
}

is 'off: a fault for every page' "$(median off faults) $(median off pages)" '4096 4096'
is 'on: the same memory' "$(median on pages)" 4096
fewer=$(jq -n "$(median off faults) / $(median on faults) * 10 | round / 10")
ok "on: fewer faults, by $fewer" [ "$(jq -n "$fewer >= 12 and $fewer <= 17")" = true ]
figures 0000 <<END
### Built in: huge pages of shared memory by size

\`tiermem bench fault --shared --size 16M --threads 2\` on the base kernel, \`tiermem mthp set 64K shmem=never\` and \`always\`:

| 64K | faults | pages of 4K | bytes per fault |
|---|---|---|---|
| never | $(median off faults) | $(median off pages) | $(median off bytes_per_fault) |
| always | $(median on faults) | $(median on pages) | $(median on bytes_per_fault) |
END
done_testing
