#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only

# shellcheck source=tests/vm/topology.sh
. "$(dirname "$0")/topology.sh"
topology_test D 6.12
