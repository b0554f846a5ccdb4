#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tiermem policy migrate: what is refused before any page is looked at, and a dry run of this very process. Moving needs
# two nodes: tests/vm/migrate-*.t.

# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

usage()
{
	tiermem policy migrate "${@:2}"
	exits 2 "refused: ${*:2}"
	like "the reason: ${*:2}" "$err" "$1"
}
usage "needs PID"
usage "needs --from LIST" $$
usage "needs --to LIST" $$ --from 0
usage "'x' is no number" x --from 0 --to 1
usage "'0' is no process id" 0 --from 0 --to 1
usage "'4294967296' is no process id" 4294967296 --from 0 --to 1
usage "one operand too many" $$ $$ --from 0 --to 1
usage "--from: '' is not a list of nodes" $$ --from '' --to 1
usage "--to: '1-' is not a list of nodes" $$ --from 0 --to 1-
usage "--to: '70000' is not a list of nodes" $$ --from 0 --to 70000
usage "both name the same node" $$ --from 0-3 --to 3
usage "--to: node 999 is not there" $$ --from 0 --to 999
like "and those that are there" "$err" "nodes with memory: 0"
usage "--from: node 999 is not there" $$ --from 999 --to 0
usage "--root:" $$ --from 0 --to 1 --root "$(machine two-tier)"

# On a machine of one node the virtual machines' tests do this.
if [[ -d /sys/devices/system/node/node1 ]]; then
	tiermem policy migrate $$ --from 1 --to 0 --dry-run --json
	exits 0 "a dry run"
	valid_json "its document keeps to the schema"
	is "nothing is moved" "$(jq -c '[.state, .dry_run, .moved_pages, .nodes[0].after_bytes]' "$out_file")" \
		'["planned",true,0,null]'
	is "the memory of the process is there" "$(jq '[.nodes[].before_bytes] | add > 0' "$out_file")" true
fi

done_testing
