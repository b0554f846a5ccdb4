#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/policy.sh
. "$(dirname "$0")/policy.sh"
policy_test B 6.12
json_is "three tiers" "$out/show.json" '[.tiers[] | [.id, .nodes, .top, .demotes_to]]' '[[4,"0",true,"1"],[70,"1",false,"3"],[326,"3",false,""]]'
done_testing
