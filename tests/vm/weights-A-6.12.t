#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/weights.sh
. "$(dirname "$0")/weights.sh"
weights_test A 6.12
same_plan
json_is "what there is" "$out/show.json" '[.mode, [.nodes[] | [.bandwidth_mbps, .current, .kernel, .recommended]]]' \
	'["manual",[[307200,1,26,5],[61440,1,5,1]]]'
json_is "what it is good for" "$out/show.json" '.prediction |
	[.ideal_mbps, .local_mbps, .uniform_mbps, .current_mbps, .recommended_mbps]' '[368640,307200,122880,122880,368640]'
json_is "what was done" "$out/apply.json" '[.state, [.changes[] | [.from, .to, .state]]]' \
	'["applied",[["1","5","done"],["1","1","unchanged"]]]'
json_is "what was undone" "$out/undo.json" '[.state, [.changes[] | [.from, .to, .state]]]' \
	'["restored",[["5","1","restored"]]]'
done_testing
