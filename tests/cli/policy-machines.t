#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem policy show` on every captured machine.
# shellcheck source=tests/cli/policy.sh
. "${BASH_SOURCE[0]%/*}/policy.sh"

for name in $(tests/machines/list); do
	root=$(machine "$name")
	policy show --json
	exits 0 "$name: show"
	keeps "$name: show"
	policy show
	[[ $name == hostile ]] || is "$name: show fits 80 columns" "$(awk 'length > 80' "$out_file")" ''
done

policy_done
