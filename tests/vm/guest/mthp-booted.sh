# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# mthp-*.t: what a kernel made of the words that it was booted with, and what tiermem says that it did.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
# shellcheck source=tests/vm/guest/mthp-settings.sh
. /vm/mthp-settings.sh

mthp_settings | emit settings
emit_run booted.json tiermem mthp bootargs --booted --json
emit_run show.json tiermem mthp show --json
exit 0
