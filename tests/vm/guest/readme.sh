# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# readme-A-6.12.t: runs the commands that README.md shows, one after the other. What each prints, on both of its streams,
# becomes a file with its number.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

number=0
while IFS= read -r command; do
	number=$((number + 1))
	sh -c "$command" >/tmp/out 2>&1 </dev/null
	emit "shown-$number" /tmp/out
done </vm/readme.commands
exit 0
