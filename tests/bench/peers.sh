#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# peers.sh [NAME...]: `tiermem bench` side by side with other programs that measure the same. NAME is of bandwidth,
# latency, fault, …: the parts tests/bench/peer-NAME that exist; all of them if none is named. Each prints one line for each
# comparison: pairs taken in turn, and the median of their ratios, beside what it should be. Figures are printed, not
# judged: a busy machine gives none that mean anything.
#
#	TIERMEM		the program, ./tiermem where unset
#	PAIRS		how many of each, 9 where unset
set -u

here=$(cd -- "$(dirname -- "$0")" && pwd)
export TIERMEM
TIERMEM=$(realpath -- "${TIERMEM:-$here/../../tiermem}")
export PAIRS=${PAIRS:-9}
parts=("$@")
failed=0

if ((!${#parts[@]})); then
	for part in "$here"/peer-*; do
		parts+=("${part##*/peer-}")
	done
fi
echo "load average $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) CPUs"
for part in "${parts[@]}"; do
	if [[ ! -x $here/peer-$part ]]; then
		echo "peers.sh: there is no tests/bench/peer-$part" >&2
		failed=1
		continue
	fi
	printf '\n%s:\n' "$part"
	"$here/peer-$part" || failed=1
done
exit $failed
