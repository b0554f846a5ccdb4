#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a tree, a command line or an output must not be able to do to the reader: lead it outside, keep it waiting, crash it,
# make it write, or take rubbish for a number.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

mkdir "$tmp/json"
# More than any of these runs takes: it only ends what hangs.
limit=60

# topology ARG...: with a limit; $out is of the last of three shapes, and $status that of the first that failed
topology()
{
	local shape code=0

	: >"$tmp/all"
	for shape in --tree --matrix --json; do
		run env -C / timeout "$limit" "$TIERMEM" topology "$@" "$shape"
		cat "$out_file" "$err_file" >>"$tmp/all"
		((code)) || code=$status
	done
	status=$code
}

# keep NAME: the last document, to be validated at the end with all the others
keep()
{
	cp "$out_file" "$tmp/json/$1"
}

# failed WANTED ARG...: exit code and message; with --json there is a document as well
failed()
{
	local wanted=$1

	shift
	tiermem topology "$@"
	is "refused: ${*//$tmp/TMP}" "$status $out${err//$tmp/TMP}" "$wanted"
	tiermem topology "$@" --json
	is 'and as JSON' "$status $(jq -r '.schema, .exit_code' <"$out_file" | tr '\n' ' ')" "${wanted%% *} tiermem.error/1 ${wanted%% *} "
	keep "error-$tests"
}

# Command line
failed '2 tiermem topology: --dry-run: topology writes nothing' --dry-run
failed $'2 tiermem topology: --colums: no such option\nhint: did you mean --columns?' --colums
failed $'2 tiermem topology: -x: no such option\nhint: `tiermem topology --help` lists its options' -x
failed '2 tiermem topology: --root: is empty' --root ''

# Roots
mkdir -p "$tmp/empty" "$tmp/strange/etc" "$tmp/procless/sys" "$tmp/sysless/proc"
: >"$tmp/file"
mkfifo "$tmp/fifo"
ln -s nowhere "$tmp/dangling"
ln -s circle "$tmp/circle"
above='hint: give the folder above sys/, as it was captured'
failed '1 tiermem topology: TMP/nowhere: No such file or directory' --root "$tmp/nowhere"
failed '1 tiermem topology: TMP/dangling: No such file or directory' --root "$tmp/dangling"
failed '1 tiermem topology: TMP/circle: Too many levels of symbolic links' --root "$tmp/circle"
for file in file fifo; do
	tiermem topology --root "$tmp/$file"
	like "refused: --root $file" "$status $out${err//$tmp/TMP}" \
		"^1 tiermem topology: TMP/$file: [a-zA-Z ]+"$'\nhint: a root is a folder that holds sys/ and proc/'
	tiermem topology --root "$tmp/$file" --json
	exits 1 'and as JSON'
	keep "error-$file"
done
failed "1 tiermem topology: TMP/empty: holds neither sys/ nor proc/"$'\n'"$above" --root "$tmp/empty"
failed "1 tiermem topology: TMP/strange: holds neither sys/ nor proc/"$'\n'"$above" --root "$tmp/strange"
for root in procless sysless; do
	tiermem --root "$tmp/$root" topology
	is "$root: a clear unknown" "$status $out" '0 warning: no NUMA nodes can be read from /sys/devices/system/node [no-nodes]
  hint: the kernel was built without NUMA, or the tree was captured without that folder'
	tiermem --root "$tmp/$root" topology --json
	is "$root: and as JSON" "$status $(jq -c '[.kernel, .memory_nodes, .nodes, .tiers, .weight_mode, .problems[].code]' <"$out_file")" \
		'0 [null,null,[],null,"unsupported","no-nodes"]'
	keep "$root"
	tiermem --root "$tmp/$root" topology --raw
	is "$root: no rows" "$status $out" '0 '
done

# Users without rights. Root may read anything, so another user is needed for what only modes forbid.
mkdir "$tmp/bin"
cp "$TIERMEM" "$tmp/bin/tiermem"
chmod 755 "$tmp" "$tmp/bin" "$tmp/bin/tiermem"
as_nobody=()
((EUID)) || as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --)

nobody()
{
	run timeout "$limit" "${as_nobody[@]}" "$tmp/bin/tiermem" topology "$@"
}

mkdir -m 0000 "$tmp/locked"
nobody --root "$tmp/locked"
is 'a root that may not be read' "$status ${err//$tmp/TMP}" '1 tiermem topology: TMP/locked: Permission denied'
chmod 755 "$tmp/locked"
denied=$(machine denied)
chmod -R a+rX "$tmp/machines"
chmod 0000 "$denied/sys/kernel/mm/mempolicy/weighted_interleave/node1" "$denied/proc/zoneinfo" \
	"$denied/sys/devices/virtual/memory_tiering/memory_tier86/nodelist" \
	"$denied/sys/devices/system/node/node1/access1/initiators/read_latency"
chmod 0700 "$denied/sys/bus/dax/devices"
nobody --root "$denied" --json
keep nobody
is 'what may not be read is denied' "$status $(jq -c '.nodes[1] | [.tier_reason, .weight_reason, .zones_reason,
	.performance[1].read_latency_ns_reason]' <"$out_file")" '0 ["denied","denied","denied","denied"]'
is 'and the rest is read' "$(jq -c '.nodes[0] | [.tier, .weight, .performance[1].read_latency_ns]' <"$out_file")" '[4,28,100]'
nobody --root "$denied" --raw --noheadings -o TIER,WEIGHT,R-NS
is 'in the table too' "$out" '4 28 100
denied denied denied'
nobody --root "$denied"
like 'and said once' "$out" $'\nnote: [0-9]+ files may not be read by this user, the first is /.* \[unreadable\]\n  hint: '
is 'only once' "$(grep -c 'note:' "$out_file")" 1
chmod 0000 "$denied/sys/devices/system/node/node1"
nobody --root "$denied" --json
keep no-folder
is 'a folder that may not be entered' "$status $(jq -c '[.nodes[0].weight, (.nodes[1] | .memory_total_bytes, .memory_total_bytes_reason)]' <"$out_file")" \
	'0 [28,null,"denied"]'
chmod 0755 "$denied/sys/devices/system/node/node1"
nobody --json
keep live
is 'this machine, read by anybody' "$status $err" '0 '
for shape in '' --tree --matrix; do
	nobody $shape
	is "this machine, read by anybody $shape" "$status $err" '0 '
done

# Links that lead outside. Nothing of what is there shows, by whatever way it is reached.
secret=SECRET-b8c1e0
mkdir -p "$tmp/outside/node9" "$tmp/outside/initiators"
for file in secret meminfo node9/meminfo cpulist distance initiators/read_latency nodelist state serial; do
	echo "$secret" >"$tmp/outside/$file"
done
printf 'Node 9 MemTotal: 31337 kB\nNode 9 MemFree: 31337 kB\n' | tee "$tmp/outside/meminfo" >"$tmp/outside/node9/meminfo"
echo 31337 >"$tmp/outside/initiators/read_latency"
up=../../../../../../../../../../../../../../../..
n=0
for way in "$tmp/outside" "$up$tmp/outside" "/proc/self/root$tmp/outside" "/proc/self/cwd/${tmp#/}/outside"; do
	root=$tmp/leading-out-$((++n))
	tests/machines/unpack tests/machines/link-degraded/manifest "$root"
	node=$root/sys/devices/system/node
	rm -r "$node/node1/meminfo" "$node/node1/cpulist" "$node/node1/cpumap" "$node/node1/distance" \
		"$node/node1/access1/initiators" "$root/sys/devices/virtual/memory_tiering/memory_tier86/nodelist"
	ln -s "$way/meminfo" "$node/node1/meminfo"
	ln -s "$way/cpulist" "$node/node1/cpulist"
	ln -s "$way/secret" "$node/node1/cpumap"
	ln -s "$way/distance" "$node/node1/distance"
	ln -s "$way/initiators" "$node/node1/access1/initiators"
	ln -s "$way/node9" "$node/node9"
	ln -s "$way/nodelist" "$root/sys/devices/virtual/memory_tiering/memory_tier86/nodelist"
	rm "$root/proc/sys/kernel/hostname" "$root/sys/bus/cxl/devices/mem0"
	ln -s "$way/secret" "$root/proc/sys/kernel/hostname"
	ln -s "$way" "$root/sys/bus/cxl/devices/mem0"
	topology --root "$root"
	is "outside by ${way/$tmp/TMP}" "$status" 0
	keep "outside-$n"
	is 'no node of there' "$(jq -c '[.nodes[].id]' <"$out_file")" '[0,1]'
	is 'no figure of there' "$(jq -c '.nodes[1] | [.memory_total_bytes, .cpus, .distances, (.performance | length)]' <"$out_file")" \
		'[null,null,null,1]'
	is 'nothing of there in any output' "$(grep -Ec "$secret|31337|32089088" "$tmp/all")" 0
done
ln -s / "$tmp/slash"
for link in /etc/passwd "$up/etc/passwd"; do
	ln -sf "$link" "$root/sys/devices/system/node/node0/meminfo"
	topology --root "$root"
	is "not $link" "$(grep -c 'root:' "$tmp/all")" 0
done
# The root itself may be anywhere; only then is it a root.
tiermem topology --root "$tmp/slash/$tmp/leading-out-1" --json
is 'the root may be reached by links' "$status $(jq -r .nodes[0].kind <"$out_file")" '0 dram'

# The captured machine that has much of this at once
hostile=$(machine hostile)
topology --root "$hostile"
is 'the hostile machine' "$status" 0
keep hostile
is 'only the sound node is known' "$(jq -c '[.nodes[] | select(.memory_total_bytes > 0).id]' <"$out_file")" '[0]'
is 'nothing of /etc/passwd' "$(grep -c 'root:' "$tmp/all")" 0
unlike 'no escapes' "$(cat "$tmp/all")" $'\x1b'

# Names and values that are not UTF-8, or would upset a terminal
odd=$tmp/odd
tests/machines/unpack tests/machines/link-degraded/manifest "$odd"
printf 'h\xff\xc3(\x1b[31m\x07\xc2\x9b31m\xf4\x90\x80\x80 \xc3\xa9\n' >"$odd/proc/sys/kernel/hostname"
printf '6.12\xfe\n' >"$odd/proc/sys/kernel/osrelease"
memdev=$odd/sys/devices/pci0000:35/0000:35:01.0/0000:36:00.0/mem0
printf '\x1b]0;title\x07\xff\n' >"$memdev/firmware_version"
printf 'ram\x1b[2J\xff\n' >"$odd/sys/devices/platform/ACPI0017:00/root0/decoder0.0/region0/mode"
mkdir "$odd/sys/bus/dax/devices/"$'dax\xff\x1b[31m'
echo 1 >"$odd/sys/bus/dax/devices/"$'dax\xff\x1b[31m/target_node'
LC_ALL=C.UTF-8 topology --root "$odd"
keep odd
is 'odd bytes' "$status" 0
ok 'the output is UTF-8' iconv -f UTF-8 -t UTF-8 -o /dev/null "$tmp/all"
unlike 'and safe for a terminal' "$(cat "$tmp/all")" $'[\x01-\x08\x0b-\x1f\x7f]'
is 'bytes that are not UTF-8 are named' "$(jq -c '[.kernel, .cxl.dax[1].name]' <"$out_file")" \
	'["6.12\\xfe","dax\\xff\u001b[31m"]'
run "$TIERMEM" --root "$odd" topology -o NODE,DEVICES
exits 0 'odd bytes in a table'
unlike 'safe for a terminal' "$out" $'[\x01-\x08\x0b-\x1f\x7f]'
mv "$odd" "$tmp/odd"$'\xff\x1b[31m'
tiermem --root "$tmp/odd"$'\xff\x1b[31m' topology --json
exits 0 'a root of odd bytes'
keep odd-root
tiermem --root "$tmp/none"$'\xff\x1b[31m' topology
is 'a root of odd bytes that is not there' "$status ${err//$tmp/TMP}" \
	'1 tiermem topology: TMP/none\xff\x1b[31m: No such file or directory'

# Rubbish in every file that is read, one after the other, and in all of them at once
tree=$tmp/tree
tests/machines/unpack tests/machines/one-switch/manifest "$tree"
strace -f -o "$tmp/strace" -e trace=openat2 "$TIERMEM" --root "$tree" topology --json --blocks >"$tmp/sound"
# What a link leads to is what is spoilt. One memory block stands for all.
(cd "$tree" && sed -n 's/.*openat2([0-9]*, "\([^"]*\)".* = [0-9].*/\1/p' "$tmp/strace" | grep -v '/memory[1-9]' |
	while read -r file; do
		[[ ! -f $file ]] || realpath --relative-to=. "$file"
	done | sort -u >"$tmp/files")
ok 'the files that are read are known' test "$(wc -l <"$tmp/files")" -gt 100

mkdir "$tmp/rubbish"
head -c 3000 /dev/urandom >"$tmp/rubbish/binary"
: >"$tmp/rubbish/empty"
echo 99999999999999999999999999 >"$tmp/rubbish/huge"
echo -7 >"$tmp/rubbish/negative"
echo 0-65535 >"$tmp/rubbish/range"
head -c 300000 /dev/zero | tr '\0' 7 >"$tmp/rubbish/line"
mkfifo "$tmp/rubbish/fifo"
mkdir -m 755 "$tmp/rubbish/folder"
ln -s nowhere "$tmp/rubbish/dangling"
ln -s "$tmp/outside/secret" "$tmp/rubbish/outside"
for kind in binary empty huge negative line fifo folder outside; do
	bad=0
	mkdir "$tmp/each"
	while read -r file; do
		mv "$tree/$file" "$tmp/kept"
		cp -a "$tmp/rubbish/$kind" "$tree/$file"
		timeout "$limit" "$TIERMEM" topology --root "$tree" --json --blocks >"$tmp/each/${file//\//,}" 2>"$err_file"
		status=$?
		if ((status)) || [[ -s $err_file ]]; then
			((++bad))
			diag "$kind in $file: exit code $status, $(head -c 2000 "$err_file")"
		fi
		rm -r "${tree:?}/$file"
		mv "$tmp/kept" "$tree/$file"
	done <"$tmp/files"
	is "$kind in each file" "$bad" 0
	ok "$kind: the documents keep to the schema" tests/validate "$tmp/each"/*
	ok "$kind: nothing of outside in them" test -z "$(grep -rl "$secret" "$tmp/each")"
	rm -r "$tmp/each"
done

echo 18446744073709551615 >"$tmp/rubbish/most"
echo 'no such thing' >"$tmp/rubbish/words"
printf '0\0\n' >"$tmp/rubbish/nul"
printf '\n\n\n' >"$tmp/rubbish/lines"
for kind in "$tmp/rubbish"/*; do
	kind=${kind##*/}
	cp -a "$tree" "$tmp/spoilt"
	while read -r file; do
		rm "$tmp/spoilt/$file"
		cp -a "$tmp/rubbish/$kind" "$tmp/spoilt/$file"
	done <"$tmp/files"
	topology --root "$tmp/spoilt"
	is "$kind in all files" "$status" 0
	keep "all-$kind"
	rm -r "$tmp/spoilt"
done
tiermem topology --root "$tree" --json --blocks
is 'all is as it was' "$(jq 'del(.time)' <"$out_file")" "$(jq 'del(.time)' "$tmp/sound")"

# Ten megabytes in an attribute
for file in sys/devices/system/node/node0/distance sys/devices/system/node/possible proc/zoneinfo proc/version \
	sys/devices/system/node/node1/meminfo sys/kernel/mm/mempolicy/weighted_interleave/node0; do
	mv "$tree/$file" "$tmp/kept"
	yes '10 255 21' | head -c 10000000 >"$tree/$file"
	topology --root "$tree"
	is "10 MB in $file" "$status" 0
	keep "large-$((++n))"
	mv "$tmp/kept" "$tree/$file"
done

# Output that cannot be written
for shape in '' --tree --matrix --json; do
	run bash -c '"$1" --root "$2" topology $3 >/dev/full' - "$TIERMEM" "$tree" "$shape"
	is "a full disk $shape" "$status $err" '1 tiermem topology: standard output: No space left on device'
	run bash -c '"$1" --root "$2" topology $3 | true; exit "${PIPESTATUS[0]}"' - "$TIERMEM" "$tmp/tree" "$shape"
	like "a closed pipe $shape" "$status $err" '^[01] $'
done

# Nothing is written, nowhere.
state()
{
	(cd "$1" && find . -printf '%p %y %m %s %l %T@ %C@\n' | sort && find . -type f -exec cat {} + | cksum)
}

before=$(state "$tree")
writes=
for arguments in '' --tree --matrix --json '--json --blocks' '--raw' '-v'; do
	# shellcheck disable=SC2086
	traced file,desc,network,process "$TIERMEM" --root "$tree" topology $arguments >/dev/null
	writes+=$(grep -E 'O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)|^[0-9]* *(creat|unlink|rename|mkdir|rmdir|link|symlink|chmod|chown|truncate|mknod|utime|socket|fork|vfork|clone|execve.*execve)|flush' "$tmp/strace")
done
is 'no file is opened for writing, made or removed' "$writes" ''
is 'the tree is as it was' "$(state "$tree")" "$before"
strace -f -o "$tmp/strace" -e trace=open,openat,openat2,creat "$TIERMEM" topology --json >/dev/null
is 'nor on this machine' "$(grep -Ec 'O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)|flush' "$tmp/strace")" 0

ok 'every document keeps to its schema' tests/validate "$tmp"/json/*

done_testing
