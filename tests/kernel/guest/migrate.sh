# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# migrate.t: one page a call and many, with a reader on the other CPU, and copies on write.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
for mapping in read-only written; do
	emit_run "$mapping.json" tiermem bench migrate --batch 1,2,128 --mapping $mapping --size 1M --repeat 3 --time 0.01 --json
done
emit_run cow.json tiermem bench cow --fork --private --size 1M --repeat 3 --time 0.05 --stat --json
exit 0
