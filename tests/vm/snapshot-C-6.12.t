#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/snapshot.sh
. "$(dirname "$0")/snapshot.sh"
snapshot_test C 6.12
