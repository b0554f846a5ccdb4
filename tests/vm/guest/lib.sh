# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What a guest script may call. Results leave by the second serial line, which carries nothing else.

result()
{
	printf '%s\n' "$*" >/dev/ttyS1
}

# emit NAME [FILE]: FILE, or standard input, becomes the file NAME in the host's output folder
emit()
{
	{
		printf '@file %s\n' "$1"
		if [ $# -gt 1 ]; then gzip -c <"$2"; else gzip -c; fi | base64
		printf '@done\n'
	} >/dev/ttyS1
}

# emit_run NAME COMMAND...: the command's output as NAME, its errors as NAME.err, its exit code as NAME.rc
emit_run()
{
	_name=$1
	shift
	"$@" >/tmp/.out 2>/tmp/.err </dev/null
	_rc=$?
	emit "$_name" /tmp/.out
	emit "$_name.err" /tmp/.err
	echo "$_rc" | emit "$_name.rc"
	return "$_rc"
}

tap_ok()
{
	result "@tap ok - $*"
}

tap_not_ok()
{
	result "@tap not ok - $*"
}

# tap_is GOT WANTED TEXT
tap_is()
{
	if [ "$1" = "$2" ]; then
		tap_ok "$3"
	else
		tap_not_ok "$3"
		result "@tap #   got: $1"
		result "@tap #   wanted: $2"
	fi
}

# wait_for SECONDS COMMAND...: until the command succeeds
wait_for()
{
	_left=$(($1 * 10))
	shift
	until "$@"; do
		[ "$_left" -gt 0 ] || return 1
		_left=$((_left - 1))
		usleep 100000
	done
}
