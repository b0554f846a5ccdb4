#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/moving.sh
. "$(dirname "$0")/moving.sh"
moving_test migrate A newest
json_is "all that was moved went back" "$out/there-cold.json" '[.state, .moved_bytes >= 209715200, .dry_run]' \
	'["done",true,false]'
json_is "what did not fit" "$out/full.json" '[.state, any(.unmoved[]; .reason == "full")]' '["full",true]'
done_testing
