#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem snapshot`, and what --root makes of its archives and of those that others made.
# Functions are called by name, and single quotes hold scripts.
# shellcheck source=tests/cli/lib.sh disable=SC2016,SC2317
. "${BASH_SOURCE[0]%/*}/lib.sh"

# Where archives are unpacked to, in memory if that can be, as it is often done here. Other users unpack too.
TMPDIR=$(mktemp -d /dev/shm/tiermem-test.XXXXXX 2>/dev/null) || TMPDIR=$(mktemp -d "$tmp/temp.XXXXXX") || exit 1
export TMPDIR
trap 'rm -rf -- "$tmp" "$TMPDIR"' EXIT
chmod 1777 "$TMPDIR"
chmod 755 "$tmp"

# Nothing is left, which a process that was killed may need a moment for.
clean()
{
	local try

	for ((try = 0; try < 200; try++)); do
		[[ -z $(find "$@" -maxdepth 1 -name '.tiermem-*') ]] && return
		sleep 0.05
	done
	return 1
}

# All outputs of topology, but for the time: shapes FILE ROOT-OPTION...
shapes()
{
	local shape file=$1

	shift
	for shape in --json '--json --blocks' -v --tree --matrix; do
		# shellcheck disable=SC2086 # several words
		"$TIERMEM" "$@" topology $shape
		printf 'exit code %d\n' $?
	done 2>&1 | sed 's/^\t"time":\t"[^"]*"/"time"/' >"$file"
}

# --- captured machines ---

for name in $(tests/machines/list); do
	root=$(machine "$name")
	tiermem --root "$root" snapshot "$tmp/$name.tar.zst"
	exits 0 "a snapshot of $name"
	shapes "$tmp/before" --root "$root"
	shapes "$tmp/after" --root "$tmp/$name.tar.zst"
	ok "$name: replayed, every byte is the same" diff -u "$tmp/before" "$tmp/after"
	if [[ $name == two-tier ]]; then
		like 'and there is something to compare' "$(wc -l <"$tmp/before")" '^[0-9]{3,}$'
	else
		rm -f "$tmp/$name.tar.zst"
	fi
done
ok 'nothing unpacked is left' clean "$TMPDIR"

# --- what is in it ---

root=$(machine two-tier)
tiermem --root "$root" snapshot "$tmp/a.tar.gz"
like 'what is said at the end' "$out" "^$tmp/a\\.tar\\.gz: [0-9]+ files, 0 denied, [0-9.]+K\$"
is 'and nothing on standard error' "$err" ''
is 'only the owner may read it' "$(stat -c %a "$tmp/a.tar.gz")" 600
is 'the document comes first' "$(tar tzf "$tmp/a.tar.gz" | head -n 1)" tiermem-snapshot.json
mkdir "$tmp/unpacked"
ok 'tar unpacks it' tar xzf "$tmp/a.tar.gz" -C "$tmp/unpacked"
valid_json 'the document keeps to its schema' "$tmp/unpacked/tiermem-snapshot.json"
is 'it counts the files' "$(jq .files "$tmp/unpacked/tiermem-snapshot.json")" \
	"$(($(find "$tmp/unpacked" -type f | wc -l) - 1))"
shapes "$tmp/before" --root "$root"
shapes "$tmp/after" --root "$tmp/unpacked"
ok 'an unpacked snapshot can be replayed too' diff -u "$tmp/before" "$tmp/after"
is 'only files, folders and relative links' \
	"$(find "$tmp/unpacked" ! -type f ! -type d ! -type l; find "$tmp/unpacked" -lname '/*')" ''
is 'what is in the files is what was there' \
	"$(cd "$tmp/unpacked" && find . -type f ! -name tiermem-snapshot.json -exec cmp {} "$root/{}" \; 2>&1)" ''

tiermem --root "$root" snapshot --json "$tmp/b.tar"
exits 0 'with --json'
valid_json 'the document is printed'
is 'as it is in the archive' "$(tar xOf "$tmp/b.tar" tiermem-snapshot.json)" "$out"
is 'what it says' "$(jq -c '[.root, .page_size_bytes, .blocks, .anonymised, .denied]' <"$out_file")" \
	"[\"$root\",4096,true,false,0]"
tiermem --root "$tmp/b.tar" topology --json
is "the root's name is that of then" "$(jq -r .root <"$out_file")" "$root"

# Taken of a snapshot, it is the same again.
tiermem --root "$tmp/b.tar" snapshot "$tmp/c.tar"
exits 0 'a snapshot of a snapshot'
listing()
{
	tar tvf "$1" | sed 's/ [0-9]*-[0-9]*-[0-9]* [0-9]*:[0-9]* / /'
}
is 'holds the same' "$(listing "$tmp/c.tar")" "$(listing "$tmp/b.tar")"
is 'its document too, but for the time' "$(tar xOf "$tmp/c.tar" tiermem-snapshot.json | jq 'del(.time)')" \
	"$(tar xOf "$tmp/b.tar" tiermem-snapshot.json | jq 'del(.time)')"

for kind in '.tar:cat' '.tar.gz:gzip -dc' '.tar.xz:xz -dc' '.tar.zst:zstd -dcq'; do
	tiermem --root "$root" snapshot "$tmp/kind${kind%%:*}"
	# shellcheck disable=SC2086 # a command with its options
	is "another program reads ${kind%%:*}" \
		"$(${kind#*:} <"$tmp/kind${kind%%:*}" | tar tf - | tail -n +2)" "$(tar tf "$tmp/b.tar" | tail -n +2)"
	shapes "$tmp/after" --root "$tmp/kind${kind%%:*}"
	ok "so does tiermem" diff -u "$tmp/before" "$tmp/after"
done
mv "$tmp/kind.tar.xz" "$tmp/no-suffix"
tiermem --root "$tmp/no-suffix" topology --raw --noheadings -o NODE
is 'reading goes by content, not by name' "$status $out" $'0 0\n1\n2\n3'

# --- denied ---

root=$(machine denied)
tiermem --root "$root" snapshot --json "$tmp/denied.tar"
is 'what is denied is counted' "$(jq .denied <"$out_file")" 5
is 'and has no content' "$(tar tvf "$tmp/denied.tar" | awk '$1 == "----------" { print $3, $6 }')" \
	'0 proc/zoneinfo
0 sys/devices/platform/ACPI0017:00/root0/decoder0.0/start
0 sys/devices/system/node/node1/access1/initiators/read_latency
0 sys/devices/virtual/memory_tiering/memory_tier86/nodelist
0 sys/kernel/mm/mempolicy/weighted_interleave/node1'

# --- --dry-run ---

root=$(machine two-tier)
tiermem --root "$root" snapshot --dry-run "$tmp/dry.tar"
is '--dry-run lists the files' "$status $(head -n -1 "$out_file" | sort)" \
	"0 $(tar tf "$tmp/b.tar" | while read -r path; do [[ -f $tmp/unpacked/$path ]] && echo "$path"; done | sort)"
ok 'and writes nothing' test ! -e "$tmp/dry.tar"
tiermem --root "$(machine denied)" snapshot --dry-run "$tmp/dry.tar"
like 'and says what is denied' "$out" $'\nproc/zoneinfo \(denied\)\n'

# --- what is already there ---

for file in x - x.zip x.tar.lz4 .tar x.tar.zst/; do
	tiermem --root "$root" snapshot "$file"
	exits 2 "no kind of archive: $file"
	like 'which ones there are' "$err" $'\nhint: end it in \.tar, \.tar\.gz, \.tar\.xz or \.tar\.zst$'
done
tiermem snapshot
exits 2 'no file'
printf 'precious\n' >"$tmp/there.tar"
tiermem --root "$root" snapshot "$tmp/there.tar"
is 'a file that is there' "$status $err" \
	"1 tiermem snapshot: $tmp/there.tar: File exists"$'\nhint: --force replaces it'
is 'stays as it is' "$(cat "$tmp/there.tar")" precious
tiermem --root "$root" snapshot --force "$tmp/there.tar"
exits 0 '--force'
is 'replaces it' "$(tar tf "$tmp/there.tar" | head -n 1)" tiermem-snapshot.json
mkdir "$tmp/folder.tar"
ln -s there.tar "$tmp/link.tar"
mkfifo "$tmp/pipe.tar"
for name in folder link pipe; do
	before=$(stat -c '%i %s' "$tmp/there.tar" "$tmp/$name.tar")
	tiermem --root "$root" snapshot -f "$tmp/$name.tar"
	is "--force does not replace a $name" "$status $err" \
		"1 tiermem snapshot: $tmp/$name.tar: is no plain file, and is not replaced"
	is 'nor what it leads to' "$(stat -c '%i %s' "$tmp/there.tar" "$tmp/$name.tar")" "$before"
done
tiermem --root "$root" snapshot "$tmp/none/x.tar"
is 'a folder that is not there' "$status $err" "1 tiermem snapshot: $tmp/none: No such file or directory"
(cd "$tmp" && run "$TIERMEM" --root "$root" snapshot here.tar && ls here.tar >/dev/null)
is 'a name without a folder' $? 0

# --- failures ---

mkdir "$tmp/full"
run bash -c 'ulimit -f 4; exec "$1" --root "$2" snapshot "$3"' - "$TIERMEM" "$root" "$tmp/full/x.tar"
is 'a limit of size' "$status $err" '1 tiermem snapshot: the archive cannot be written: File too large'
is 'leaves nothing' "$(ls -A "$tmp/full")" ''
run bash -c '"$1" --root "$2" snapshot --json "$3" >/dev/full' - "$TIERMEM" "$root" "$tmp/full/x.tar"
is 'standard output full' "$status $err" '1 tiermem snapshot: standard output: No space left on device'
rm -f "$tmp/full/x.tar"
run bash -c '"$1" --root "$2" snapshot --dry-run "$3" | true; exit "${PIPESTATUS[0]}"' - "$TIERMEM" "$root" "$tmp/full/x.tar"
like 'a closed pipe' "$status $err" '^[01] $'
is 'leaves nothing either' "$(ls -A "$tmp/full")" ''

# in_private COMMAND: in a mount namespace of its own
in_private()
{
	unshare -m --propagation private bash -c "$@"
}
if in_private 'mount -t tmpfs -o size=16k tmpfs "$1"' - "$tmp/full" 2>/dev/null; then
	run in_private 'mount -t tmpfs -o size=16k tmpfs "$3" || exit 99
		"$1" --root "$2" snapshot "$3/x.tar"
		echo "$? $(ls -A "$3")"' - "$TIERMEM" "$root" "$tmp/full"
	is 'a full disk' "$out$err" '1 tiermem snapshot: the archive cannot be written: No space left on device'
	run in_private 'mount -t tmpfs -o size=16k tmpfs "$3" || exit 99
		TMPDIR=$3 "$1" --root "$2" topology
		echo "$? $(ls -A "$3")"' - "$TIERMEM" "$tmp/two-tier.tar.zst" "$tmp/full"
	is 'a full disk where it is unpacked: the exit code, and nothing is left' "$out" '1 '
	like 'the message, and what helps' "$err" \
		'^tiermem topology: [^ ]*/two-tier\.tar\.zst: cannot be unpacked: [^ ]+: No space left on device
hint: set TMPDIR to a folder with more room$'
	library=$(ldconfig -p | awk '/libarchive\.so\.13 / { print $NF; exit }')
	run in_private 'mount --bind /dev/null "$3" && exec "$1" --root "$2" topology' - \
		"$TIERMEM" "$tmp/two-tier.tar.zst" "$(readlink -f "$library")"
	is 'without libarchive' "$status ${err%%$'\n'*}" \
		'1 tiermem topology: snapshots need libarchive.so.13, which cannot be loaded'
	like 'what helps' "$err" $'\nhint: install it: .*libarchive13'
	run in_private 'mount --bind /dev/null "$3" && exec "$1" --root "$2" topology' - \
		"$TIERMEM" "$root" "$(readlink -f "$library")"
	exits 0 'all else works without it'
else
	skip 'a full disk' 'no mount namespace may be made'
	skip 'without libarchive' 'no mount namespace may be made'
fi

# Ended while it writes: compressing takes long, as nothing in this file repeats. What comes out of it is written late.
mkdir -p "$tmp/slow/proc" "$tmp/slow/sys" "$tmp/out"
head -c 30000000 /dev/urandom >"$tmp/slow/proc/zoneinfo"
# ended SIGNAL NAME: once something is there, the program in the background ($!) is ended
ended()
{
	while ! "${@:3}" && kill -0 $! 2>/dev/null; do
		sleep 0.02
	done
	kill -"$1" $!
	wait $! 2>/dev/null
	is "$2" $? $((128 + $(kill -l "$1")))
}
writing()
{
	[[ -n $(find "$tmp/out" -name '.tiermem-*') ]]
}
for signal in INT TERM HUP KILL; do
	# What runs in the background of a script is otherwise not interrupted.
	env --default-signal "$TIERMEM" --root "$tmp/slow" snapshot "$tmp/out/x.tar.xz" >/dev/null 2>&1 &
	ended $signal "ended by SIG$signal while it writes" writing
	ok 'nothing is left' clean "$tmp/out"
	ok 'nor a snapshot' test ! -e "$tmp/out/x.tar.xz"
done
# Ended while it unpacks.
python3 - "$tmp/many.tar" <<'END'
import sys, tarfile
with tarfile.open(sys.argv[1], "w", format=tarfile.GNU_FORMAT) as archive:
    for i in range(60000):
        archive.addfile(tarfile.TarInfo(f"sys/{i // 100}/{i}"))
END
unpacking()
{
	[[ -n $(ls "$TMPDIR"/.tiermem-*/sys 2>/dev/null) ]]
}
for signal in INT TERM KILL; do
	env --default-signal "$TIERMEM" --root "$tmp/many.tar" topology >/dev/null 2>&1 &
	ended $signal "ended by SIG$signal while it unpacks" unpacking
	ok 'nothing is left' clean "$TMPDIR"
done

# --- archives of others ---

mkdir "$tmp/evil"
python3 - "$tmp/evil" <<'END'
import bz2, gzip, io, sys, tarfile

folder = sys.argv[1]
FILE, DIR, LINK, HARD = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
SOUND = [("sys", DIR, ""), ("sys/file", FILE, b"1\n")]


def pack(entries, form=tarfile.GNU_FORMAT):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=form) as archive:
        for path, kind, text in entries:
            info = tarfile.TarInfo(path)
            info.type = kind
            if kind == FILE:
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text))
            else:
                info.linkname = text
                archive.addfile(info)
    return data.getvalue()


def save(name, data):
    with open(f"{folder}/{name}", "wb") as file:
        file.write(data)


save("hard-link", pack(SOUND + [("sys/hard", HARD, "sys/file")]))
save("hard-link-outside", pack(SOUND + [("sys/hard", HARD, "/etc/passwd")]))
save("device", pack(SOUND + [("sys/device", tarfile.CHRTYPE, "")]))
save("block-device", pack(SOUND + [("sys/device", tarfile.BLKTYPE, "")]))
save("pipe", pack(SOUND + [("sys/pipe", tarfile.FIFOTYPE, "")]))
save("absolute-path", pack(SOUND + [("/tmp/tiermem-evil", FILE, b"x")]))
save("parent", pack(SOUND + [("sys/../../tiermem-evil", FILE, b"x")]))
save("absolute-link", pack(SOUND + [("sys/link", LINK, "/etc")]))
save("link-outside", pack(SOUND + [("sys/link", LINK, "../../etc")]))
save("through-link", pack(SOUND + [("sys/link", LINK, "."), ("sys/link/tiermem-evil", FILE, b"x")]))
save("twice", pack(SOUND + [("sys/file", FILE, b"2\n")]))
save("link-then-file", pack(SOUND + [("sys/a", LINK, "file"), ("sys/a", FILE, b"2\n")]))
save("control", pack(SOUND + [("sys/\x1b[31mred", FILE, b"x")]))
save("deep", pack(SOUND + [("sys/" + "d/" * 100, DIR, "")]))
save("long", pack(SOUND + [("sys/" + "/".join(["x" * 200] * 6), FILE, b"x")]))
save("pax-parent", pack(SOUND + [("sys/" + "a" * 200 + "/../../../tiermem-evil", FILE, b"x")], tarfile.PAX_FORMAT))
save("pax-link", pack(SOUND + [("sys/link", LINK, "../" * 60 + "etc")], tarfile.PAX_FORMAT))
save("gzip-twice", gzip.compress(gzip.compress(pack(SOUND))))
save("gzip-bzip2", bz2.compress(gzip.compress(pack(SOUND))))
save("large", gzip.compress(pack(SOUND + [("sys/large", FILE, bytes((64 << 20) + 2))])))
save("cut", pack(SOUND + [("sys/more", FILE, b"x" * 5000)])[:3000])
save("cut-gzip", gzip.compress(pack(SOUND))[:-30])
save("text", b"no archive\n" * 100)
save("empty", b"")
save("zeros", bytes(20000))
save("elsewhere", pack([("etc/passwd", FILE, b"x")]))
# A header whose size is beyond all bounds, and one of a negative size.
for name, size in ("huge", b"77777777777\0"), ("negative", b"\xff" * 12):
    data = bytearray(pack(SOUND + [("sys/huge", FILE, b"x")]))
    at = data.index(b"sys/huge")
    data[at + 124:at + 136] = size
    data[at + 148:at + 156] = b" " * 8
    data[at + 148:at + 156] = b"%06o\0 " % sum(data[at:at + 512])
    save(name, bytes(data))
END
for file in "$tmp"/evil/*; do
	name=${file##*/}
	tiermem --root "$file" topology --json
	exits 1 "refused: $name"
	case $name in
	text | empty | zeros | cut-gzip) like 'it is none' "$err" ': not a snapshot archive' ;;
	elsewhere) like 'it holds nothing' "$err" ': holds neither sys/ nor proc/' ;;
	*) like 'with the reason' "$err" ": refused: [^ ].*"$'\nhint: snapshots hold only ' ;;
	esac
	unlike 'in characters that do no harm' "$err" $'\x1b'
	valid_json 'and as a document'
	is 'nothing is left of it' "$(ls -A "$TMPDIR")" ''
	is 'nothing got out of it' "$(ls "$tmp"/tiermem-evil "$tmp"/../tiermem-evil /tmp/tiermem-evil 2>/dev/null)" ''
done
printf '{"schema":"tiermem.snapshot/2"}' >"$tmp/unpacked/tiermem-snapshot.json"
tiermem --root "$tmp/unpacked" topology
is 'a document of another version' "$status $err" \
	"1 tiermem topology: $tmp/unpacked: tiermem-snapshot.json: its schema is not tiermem.snapshot/1
hint: it may be of a newer tiermem"

# --- --anonymise ---

root=$tmp/known
cp -r "$(machine one-switch)" "$root"
echo 'db-seven' >"$root/proc/sys/kernel/hostname"
echo '6a1d2c3b-1111-4222-8333-abcdefabcdef' >"$root/proc/sys/kernel/random/boot_id"
echo 'BOOT=/x root=UUID=0f0f0f0f-2222-4333-8444-123412341234 BOOTIF=01-a0-b1-c2-d3-e4-f5 ip=::::db-seven:eth0' \
	>"$root/proc/cmdline"
memdev=$(find "$root" -path '*/mem0/serial' | head -n 1)
echo '0xfeedbeefcafe' >"$memdev"
weights=$root/sys/kernel/mm/mempolicy/weighted_interleave
echo '0x5ec2e7005ec2e7' >"$weights/ppin"
echo 'a0:b1:c2:d3:e4:f5' >"$weights/address"
originals=(db-seven 6a1d2c3b-1111-4222-8333-abcdefabcdef 0f0f0f0f-2222-4333-8444-123412341234 feedbeefcafe 5ec2e7005ec2e7
	a0-b1-c2-d3-e4-f5 a0:b1:c2:d3:e4:f5 "$root")
while IFS= read -r uuid; do
	[[ $uuid =~ ^[0-9a-f-]{36}$ && $uuid != 00000000-0000-0000-0000-000000000000 ]] && originals+=("$uuid")
done < <(find "$root" -name uuid -exec cat {} +)
tiermem --root "$root" snapshot "$tmp/known.tar"
exits 0 'a snapshot that names the machine'
found=0
for original in "${originals[@]}"; do
	grep -qF -- "$original" "$tmp/known.tar" && ((++found))
done
is 'each name is in it' $found ${#originals[@]}
tiermem --root "$root" snapshot --anonymise --json "$tmp/anonymous.tar"
exits 0 'an anonymous one'
valid_json 'its document keeps to the schema'
is 'it says so' "$(jq -c '[.host, .boot_id, .root, .anonymised]' <"$out_file")" \
	'["anonymous","00000000-0000-4000-8000-000000000003","anonymous",true]'
for original in "${originals[@]}"; do
	ok "not in it: ${original##*/}" bash -c '! grep -qiF -- "$1" "$2"' - "$original" "$tmp/anonymous.tar"
done
for shape in --tree --matrix -q; do
	"$TIERMEM" --root "$root" topology $shape >"$tmp/before"
	"$TIERMEM" --root "$tmp/anonymous.tar" topology $shape >"$tmp/after"
	ok "the same is shown of it: $shape" diff -u "$tmp/before" "$tmp/after"
done
tiermem --root "$tmp/anonymous.tar" topology --json
is 'stand-ins are of the same form' \
	"$(jq -r '[.host, .boot_id, (.cxl.memdevs[] | select(.name == "mem0") | .serial)] | join(" ")' <"$out_file" |
		sed 's/[0-9a-f]\{8\}-[0-9a-f]\{4\}-[0-9a-f]\{4\}-[0-9a-f]\{4\}-[0-9a-f]\{12\}/UUID/')" 'anonymous UUID 0x4'

# --- this machine ---

# Memory is used and freed all the time.
without_time()
{
	jq 'del(.time, .nodes[].memory_free_bytes)' "$1"
}
columns=$("$TIERMEM" help --json |
	jq -r '[.commands[] | select(.name == "topology") | .options[] | select(.name == "columns") | .words[].word |
		select(. != "FREE")] | join(",")')

# As little do counters stand still; which there are does.
without_counters()
{
	jq 'walk(if type != "object" then . else
		del(.time, .memory_free_bytes, .anon_fallback_ratio, .shmem_fallback_ratio) |
		if (.counters | type) == "object" then .counters |= keys else . end end)' "$1"
}

# live NAME COMMAND...: takes a snapshot through the command and compares
live()
{
	local name=$1 folder=$tmp/live shape

	shift
	rm -rf "$folder"
	mkdir -m 777 "$folder"
	run "$@" snapshot "$folder/x.tar.zst"
	exits 0 "$name: a snapshot of this machine"
	for shape in '' --blocks; do
		# shellcheck disable=SC2086 # one word or none
		"$@" topology --json $shape >"$folder/before.json" 2>&1
		# shellcheck disable=SC2086
		"$@" --root "$folder/x.tar.zst" topology --json $shape >"$folder/after.json" 2>&1
		ok "$name: the same JSON $shape" \
			diff -u <(without_time "$folder/before.json") <(without_time "$folder/after.json")
	done
	for shape in "--columns=$columns" --tree --matrix; do
		"$@" topology "$shape" >"$folder/before" 2>&1
		"$@" --root "$folder/x.tar.zst" topology "$shape" >"$folder/after" 2>&1
		ok "$name: the same text ${shape%%=*}" diff -u "$folder/before" "$folder/after"
	done
	valid_json "$name: and it is valid" "$folder/after.json"
	for shape in 'weights show --json' 'weights compute --json' 'mthp show --json' 'mthp bootargs --json' \
		'policy show --json' 'policy damon status --json' 'profile save'; do
		# shellcheck disable=SC2086 # several words
		"$@" $shape >"$folder/one" 2>"$folder/one.err"
		echo "exit code $?" >>"$folder/one.err"
		# shellcheck disable=SC2086
		"$@" --root "$folder/x.tar.zst" $shape >"$folder/two" 2>"$folder/two.err"
		echo "exit code $?" >>"$folder/two.err"
		ok "$name: the same document by $shape" \
			diff -u <(without_counters "$folder/one") <(without_counters "$folder/two")
		ok "$name: the same messages by $shape" diff -u "$folder/one.err" "$folder/two.err"
		ok "$name: something was printed by $shape" test -s "$folder/one"
	done
}

live 'this user' "$TIERMEM"
if [[ $EUID == 0 ]] && setpriv --reuid=65534 --regid=65534 --clear-groups "$TIERMEM" --version >/dev/null 2>&1; then
	live 'nobody' setpriv --reuid=65534 --regid=65534 --clear-groups "$TIERMEM"
	"$TIERMEM" --root "$tmp/live/x.tar.zst" topology --blocks --json >"$tmp/live/root.json"
	ok 'what nobody took, root sees as nobody' \
		diff -u <(without_time "$tmp/live/after.json") <(without_time "$tmp/live/root.json")
else
	skip 'nobody: a snapshot of this machine' 'only root can become another user'
fi

# Nothing is opened for writing but the snapshot itself, and nothing that starts something is opened at all.
run traced open,openat,openat2,creat,truncate,unlink,rename "$TIERMEM" snapshot "$tmp/traced.tar"
exits 0 'under strace'
is 'what is opened for writing' "$(grep -E 'O_WRONLY|O_RDWR|O_CREAT|creat\(|truncate\(' "$tmp/strace" |
	grep -vcE '"\.tiermem-[0-9a-f]+", O_WRONLY\|O_CREAT\|O_EXCL')" 0
is 'what starts something' "$(grep -cE '(flush|uevent|remove|rescan|reset)"' "$tmp/strace")" 0

# --- progress ---

# seen ARG...: what a terminal shows
seen()
{
	script -qefc "$(printf '%q ' "$TIERMEM" --root "$(machine two-tier)" snapshot -f "$@" "$tmp/progress.tar")" /dev/null </dev/null
}

like 'progress on a terminal' "$(seen)" $'[0-9]+ files\r'
unlike 'no progress with -q' "$(seen -q)" $'[0-9]+ files\r'
run "$TIERMEM" --root "$root" snapshot -f "$tmp/progress.tar"
is 'none elsewhere' "$err" ''
ok 'nothing is left of it all' clean "$TMPDIR" "$tmp"

done_testing
