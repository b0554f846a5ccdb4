#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/policy.sh
. "$(dirname "$0")/policy.sh"
policy_test A newest
done_testing
