#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/moving.sh
. "$(dirname "$0")/moving.sh"
moving_test damon A 6.12
damon_figures
done_testing
