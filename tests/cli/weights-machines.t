#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem weights` and `tiermem run --dry-run` on every captured machine: documents keep to their schemas, text fits 80
# columns, and readers write nothing.
# shellcheck source=tests/cli/weights.sh
. "${BASH_SOURCE[0]%/*}/weights.sh"

for name in $(tests/machines/list); do
	[[ $name == hostile ]] && continue
	root=$(machine "$name")
	touch "$tmp/stamp"
	for command in 'weights show' 'weights compute --algorithm kernel' 'weights apply --dry-run' \
		'weights apply --force --assume-unknown 255 --dry-run' 'weights apply --auto --dry-run' \
		'weights reset --dry-run' 'run --dry-run --all -- true' 'run --dry-run --interleave -- true'; do
		# shellcheck disable=SC2086
		tiermem --root "$root" $command
		like "$name: $command: one of its exit codes" "$status" '^([0-3]|125)$'
		# Of messages, file names and sentences may be longer; of what readers print, nothing is.
		[[ $command == 'weights show' ]] || : >"$err_file"
		is "$name: $command: fits 80 columns" "$(awk 'length > 80' "$out_file" "$err_file")" ''
	done
	weights show --json
	keeps "$name: show --json keeps to its schema"
	weights apply --dry-run --json
	keeps "$name: apply --dry-run --json keeps to its schema"
	is "$name: nothing is written" "$(find "$root" -newer "$tmp/stamp")" ''
done

ends
