#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/run.sh
. "$(dirname "$0")/run.sh"
run_test A 6.1
done_testing
