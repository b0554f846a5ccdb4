# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# harness.t: a machine that does what CASE (a file added to it) says.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

case $(cat /case) in
files)
	emit binary /bin/busybox
	printf '' | emit empty
	printf '@exit 9\n@done\n' | emit marks
	emit_run run sh -c 'echo out; echo err >&2; exit 4'
	sha256sum </bin/busybox | emit sum
	tap_ok "one"
	tap_is 1 1 "two"
	exit 7
	;;
warning)
	echo 'WARNING: CPU: 0 PID: 1 at nowhere' >/dev/kmsg
	exit 0
	;;
panic)
	echo c >/proc/sysrq-trigger
	exit 0
	;;
silent)
	poweroff -f
	sleep 60
	;;
hang)
	sleep 600
	;;
esac
