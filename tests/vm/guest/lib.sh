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

# exits CODE TEXT COMMAND...: its output stays in /tmp/out and /tmp/err
exits()
{
	_wanted=$1
	_text=$2
	shift 2
	"$@" >/tmp/out 2>/tmp/err </dev/null
	_code=$?
	tap_is "$_code" "$_wanted" "$_text"
	[ "$_code" = "$_wanted" ] || result "@tap # $(head -n 5 /tmp/err | tr '\n' ' ')"
}

# says TEXT PATTERN: the last command's messages
says()
{
	if grep -q -- "$2" /tmp/err; then
		tap_ok "$1"
	else
		tap_not_ok "$1"
		result "@tap # $(head -n 5 /tmp/err | tr '\n' ' ')"
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

# settled FOLDER: all memory blocks of the node are online, and no more of them come
settled()
{
	_blocks=$(ls -d "$1"/memory[0-9]* 2>/dev/null)
	[ -n "$_blocks" ] || return 1
	for _block in $_blocks; do
		grep -q online "$_block/state" || return 1
	done
	usleep 200000
	[ "$(ls -d "$1"/memory[0-9]*)" = "$_blocks" ]
}

# bring_online NODE: waits for the node's memory; where the kernel does not bring new memory online by itself, we do
bring_online()
{
	_node=/sys/devices/system/node/node$1
	wait_for 10 test -e "$_node"
	wait_for 3 settled "$_node" && return
	for _block in "$_node"/memory[0-9]*; do
		grep -q online "$_block/state" || echo online_movable >"$_block/state"
	done
	wait_for 10 settled "$_node"
}
