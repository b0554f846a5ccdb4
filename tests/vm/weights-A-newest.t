#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/weights.sh
. "$(dirname "$0")/weights.sh"
weights_test A newest
same_plan
json_is "the kernel's own weights" "$out/kernel.json" '[.mode, [.nodes[] | [.current, .kernel, .recommended]]]' \
	'["auto",[[26,26,26],[5,5,5]]]'
json_is "the best" "$out/show.json" '[.nodes[] | [.current, .kernel, .recommended]]' '[[26,26,5],[5,5,1]]'
json_is "what was done" "$out/apply.json" '[.state, [.changes[] | [.from, .to, .state]]]' \
	'["applied",[["true","false","done"],["26","5","done"],["5","1","done"]]]'
json_is "what the kernel made of it" "$out/auto.json" '[.changes[] | [.kind, .from, .to, .got]]' \
	'[["effect","5","26","26"],["effect","1","5","5"],["set","false","true",null]]'
done_testing
