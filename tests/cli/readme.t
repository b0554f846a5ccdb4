#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every output that README.md shows is what the program prints.
. "$(dirname "$0")/lib.sh"

export TIERMEM
tests/readme >"$tmp/readme"
is "README.md shows real output (tests/readme --update)" "$(cat "$tmp/readme")" "$(cat README.md)"
like "it shows some" "$(grep -c '^\$ tiermem ' README.md)" '^[1-9]'

done_testing
