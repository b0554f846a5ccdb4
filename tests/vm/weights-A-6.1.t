#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/weights.sh
. "$(dirname "$0")/weights.sh"
weights_test A 6.1
done_testing
