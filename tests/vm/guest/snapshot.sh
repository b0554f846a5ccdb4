# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# snapshot-*.t: a snapshot shows, byte for byte, what the machine itself shows, in the same boot.

# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

# Every command that only reads, but for `run --show`, which is about processes that live.
shapes='topology -o NODE,ONLINE,KIND,WHY,DOMAIN,TIER,CPUS,TOTAL,R-MB/s,W-MB/s,R-NS,W-NS,FROM,SOURCE,WEIGHT,DISTANCES,ZONES,BLOCKS,CACHES,DEVICES
topology --json
topology --blocks --json
topology --tree
topology --matrix
topology --firmware
topology --firmware --json
weights show
weights show --json
weights compute --json
weights compute --from cdat --json
mthp show --json
mthp bootargs --json
policy show --json
policy damon status --json
profile save'

as_root()
{
	"$@"
}

# shellcheck disable=SC2317 # replay calls it
as_nobody()
{
	_line=tiermem
	shift
	for _word; do
		_line="$_line '$_word'"
	done
	su -s /bin/sh nobody -c "$_line"
}

# shown FILE WHO ARG...: output, messages and exit code, without what moves by itself: the time, the memory that is free,
# and the values of counters
shown()
{
	_file=$1
	shift
	"$@" >/tmp/.out 2>/tmp/.err </dev/null
	_code=$?
	{
		sed -e 's/"time":[[:space:]]*"[^"]*"//' -e 's/"memory_free_bytes":[[:space:]]*[0-9]*//' \
			-e '/"counters":/,/}/s/:[[:space:]]*[0-9][0-9]*//' -e 's/_fallback_ratio":[^,]*//' /tmp/.out
		cat /tmp/.err
		echo "exit $_code"
	} >"$_file"
}

# same NAME TEXT: as it is live
same()
{
	if cmp -s /tmp/live "/tmp/$1"; then
		tap_ok "$2"
	else
		tap_not_ok "$2"
		diff /tmp/live "/tmp/$1" | head -n 12 | while IFS= read -r _line; do
			result "@tap # $_line"
		done
	fi
}

# replay USER: takes a snapshot as this user, and compares all that is shown
replay()
{
	_place=/tmp/$1
	mkdir -m 777 "$_place" "$_place/folder"
	"as_$1" tiermem snapshot "$_place/x.tar.zst" >"$_place/took" 2>&1
	tap_is $? 0 "$1: takes a snapshot"
	emit "took-$1" "$_place/took"
	# Another program unpacks it: busybox, which knows no zstd.
	as_root tiermem --root "$_place/x.tar.zst" snapshot "$_place/x.tar" >/dev/null
	tap_is $? 0 "$1: takes a snapshot of the snapshot"
	tar -xpf "$_place/x.tar" -C "$_place/folder"
	tap_is $? 0 "$1: tar unpacks it"
	while read -r _shape; do
		# shellcheck disable=SC2086 # words
		{
			shown /tmp/live "as_$1" tiermem $_shape
			shown /tmp/file "as_$1" tiermem --root "$_place/x.tar.zst" $_shape
			shown /tmp/folder as_root tiermem --root "$_place/folder" $_shape
			[ "$1" = root ] || shown /tmp/other as_root tiermem --root "$_place/x.tar.zst" $_shape
		}
		_short=${_shape%%,*}
		same file "$1: $_short: the snapshot"
		same folder "$1: $_short: the folder it was unpacked to, as root"
		[ "$1" = root ] || same other "$1: $_short: the snapshot, as root"
	done <<-LIST
		$shapes
	LIST
	tap_is "$(ls -A /dev/shm)" "" "$1: nothing is left of it all"
}

replay root
replay nobody
emit_run live.json tiermem topology --json
emit_run root.json tiermem --root /tmp/root/x.tar.zst topology --json
emit_run nobody.json tiermem --root /tmp/nobody/x.tar.zst topology --json
exit 0
