#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem run --large`: large memory has the policy and all other has not, nothing else changes for the program, and
# programs that cannot be preloaded are refused.
# shellcheck disable=SC2016 # scripts for other shells
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

: "${TIERMEM_HELPERS:=$top/build/run-helpers}"
mode=--interleave
"$TIERMEM" run --interleave -- true 2>"$tmp/why" ||
	skip_all "no memory policies here: $(head -n 1 "$tmp/why")"
if [[ ${TIERMEM_HELPERS##*/} != run-helpers || ! -x $TIERMEM_HELPERS/places ]]; then
	printf 'Bail out! %s is not built\n' "$TIERMEM_HELPERS/places"
	exit 1
fi
one=$(cat /sys/devices/system/node/has_memory)
one=${one%%[-,]*}

# ---- what gets the policy: 200 MiB, a little, and one node, so that the same is said everywhere

untouched="text data stack thread-stack small below realloc-small mmap-below mmap-stack mmap-file fixed-beside"
for size in 209715200 1048576; do
	tiermem run --bind --nodes "$one" --large $size -- "$TIERMEM_HELPERS/places" $size
	exits 0 "$size bytes: runs"
	is "$size bytes: these have no policy" "$(sed -n 's/ default$//p' "$out_file" | tr '\n' ' ')" "$untouched "
	is "$size bytes: all others have this one" "$(grep -cv -e ' default$' -e " bind $one\$" "$out_file")" 0
	is "$size bytes: as many as there are" "$(grep -c " bind $one\$" "$out_file")" 18
done
run "$TIERMEM_HELPERS/places" 1048576
is 'without it none has' "$(grep -cv ' default$' "$out_file")" 0
tiermem run $mode --large 1M -- sh -c 'exec "$0" 1048576' "$TIERMEM_HELPERS/places"
is 'children have it too' "$(grep -c ' interleave ' "$out_file")" 18
tiermem run $mode --large 2M -- "$TIERMEM_HELPERS/places" 1048576
is 'not large enough' "$(sed -n 's/ interleave .*//p' "$out_file" | tr '\n' ' ')" \
	'realloc-larger realloc-larger-end mremap-larger-end '
run "$TIERMEM" run --bind --nodes "$one" -- "$TIERMEM" run $mode --large 1M -- "$TIERMEM_HELPERS/places" 1048576
is 'what is small is local, whatever tiermem was started under' "$(grep -c ' bind ' "$out_file")" 0

# ---- the environment

for size in 4096 16K 16M 1G 1T; do
	tiermem run --bind --nodes "$one" --large $size -- bash -c 'echo "$TIERMEM_LARGE ${LD_PRELOAD##*/}"'
	is "--large $size" "$status $out" "0 bind:$one:$(numfmt --from=iec $size) libtiermem-large.so"
done
# (A tiermem that is built with a sanitizer would complain of it itself.)
run env LD_PRELOAD="$(echo /lib/*/libm.so.6)" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
	"$TIERMEM" run $mode --large 16M -- bash -c 'echo "$LD_PRELOAD"'
like 'what was preloaded before is so still' "$status $out$err" '^0 [^:]*/libtiermem-large\.so:[^:]*/libm\.so\.6$'
tiermem run $mode -- bash -c 'echo "${TIERMEM_LARGE-}${LD_PRELOAD-}"'
is 'nothing without --large' "$status $out" '0 '
# Nonsense makes it do nothing.
library=$("$TIERMEM" run --dry-run --json $mode --large 16M -- true | jq -r .preload)
for what in '' x interleave interleave:0 interleave:0: interleave:0:0 interleave:0:x interleave:0:1048576x \
	interleave::1048576 interleave:1-0:1048576 interleave:0-2000:1048576 interleave:0,:1048576 backwards:0:1048576 \
	interleave:0:99999999999999999999999; do
	run env LD_PRELOAD="$library" TIERMEM_LARGE="$what" "$TIERMEM_HELPERS/places" 1048576
	is "TIERMEM_LARGE='$what' does nothing" "$status $(grep -cv ' default$' "$out_file")" '0 0'
done

# ---- nothing else changes

for size in 4K 64K 1M; do
	bytes=$(numfmt --from=iec $size)
	tiermem run $mode --large $size -- "$TIERMEM_HELPERS/stress" 4 3000 "$bytes"
	is "threads, forks and every byte, from $size" "$status $out$err" '0 sound'
done
run "$TIERMEM_HELPERS/stress" 2 300 65536
is 'the stress itself is sound' "$status $out$err" '0 sound'

# alike NAME COMMAND...: says the same
alike()
{
	local name=$1 wanted

	shift
	run "$@"
	wanted=$(cksum <"$out_file")
	tiermem run $mode --large 64K -- "$@"
	is "alike: $name" "$status $(cksum <"$out_file")$err" "0 $wanted"
}

seq 300000 >"$tmp/numbers"
alike 'bash' bash -c 'x=$(cat "$0"); y=$x$x; echo "${#y} ${y: -20}"; for i in 1 2 3; do (echo $i); done; wait' "$tmp/numbers"
alike 'python' /usr/bin/python3 -c '
import json, subprocess, threading
text = json.dumps([str(i) * 3 for i in range(50000)])
print(len(json.loads(text)), len(bytes(50000000)))
grown = bytearray()
for i in range(1000):
    grown += bytes([i % 256]) * 5000
print(len(grown), sum(grown[::1000]))
threads = [threading.Thread(target=lambda: [bytearray(300000) for _ in range(100)]) for _ in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
print(subprocess.run(["echo", "child"], stdout=subprocess.PIPE).stdout)'
alike 'sort, with threads' sort -r -S 40M --parallel=2 "$tmp/numbers"
alike 'awk' awk '{ s += length($0); a[NR] = $0 } END { print s, length(a) }' "$tmp/numbers"
alike 'perl' perl -e '$x = "a" x 30000000; $y = $x . $x; print length($y)'
alike 'xz' xz -1 -c "$tmp/numbers"
cat >"$tmp/hello.c" <<-'END'
	#include <stdio.h>
	int main(void) { static char a[3000000]; for (int i = 0; i < 3000000; i++) a[i] = (char)i; return printf("%d\n", a[77]) < 0; }
END
tiermem run $mode --large 64K -- "${CC:-gcc}" -O2 -o "$tmp/hello" "$tmp/hello.c"
is 'the compiler' "$status $out$err $("$tmp/hello")" '0  77'

# ---- what cannot be preloaded

# refused NAME WHY COMMAND...
refused()
{
	local name=$1 why=$2

	shift 2
	tiermem run $mode --large 16M -- "$@"
	is "refused: $name" "$status $out$err" "125 tiermem run: $why
hint: --large preloads a library; without it the policy is for all memory of the process"
}

printf 'int main(void) { return 0; }\n' >"$tmp/none.c"
if "${CC:-gcc}" -static -o "$tmp/static" "$tmp/none.c" 2>"$tmp/why"; then
	refused 'static' "$tmp/static: is linked statically, and loads no library" "$tmp/static"
	printf '#!%s\n' "$tmp/static" >"$tmp/script"
	chmod 755 "$tmp/script"
	refused 'a script for it' "$tmp/static: is linked statically, and loads no library" "$tmp/script"
	printf '#! \t%s -x\n' "$tmp/script" >"$tmp/second"
	chmod 755 "$tmp/second"
	refused 'a script for that' "$tmp/static: is linked statically, and loads no library" "$tmp/second"
	tiermem run $mode -- "$tmp/static"
	exits 0 'without --large it runs'
else
	skip 'static programs' "none can be linked here: $(head -n 1 "$tmp/why")"
fi
"${CC:-gcc}" -o "$tmp/plain" "$tmp/none.c"
tiermem run $mode --large 16M -- "$tmp/plain"
is 'an ordinary program' "$status $out$err" '0 '
cp "$tmp/plain" "$tmp/setuid"
chmod u+s "$tmp/setuid"
refused 'setuid' "$tmp/setuid: is setuid, and ignores preloaded libraries" "$tmp/setuid"
cp "$tmp/plain" "$tmp/setgid"
chmod g+sx "$tmp/setgid"
refused 'setgid' "$tmp/setgid: is setgid, and ignores preloaded libraries" "$tmp/setgid"
cp "$tmp/plain" "$tmp/capable"
# A version 2 attribute with CAP_NET_BIND_SERVICE.
if /usr/bin/python3 -c '
import os, struct, sys
os.setxattr(sys.argv[1], "security.capability", struct.pack("<5I", 0x02000001, 1 << 10, 0, 0, 0))' "$tmp/capable" 2>"$tmp/why"; then
	refused 'file capabilities' "$tmp/capable: has file capabilities, and ignores preloaded libraries" "$tmp/capable"
else
	skip 'file capabilities' "none can be set here: $(tail -n 1 "$tmp/why")"
fi
# One byte of the head says for which machine it is: 1 is 32 bits.
cp "$tmp/plain" "$tmp/other"
printf '\001' | dd of="$tmp/other" bs=1 seek=4 conv=notrunc status=none
refused 'another machine' "$tmp/other: is built for another kind of machine than tiermem" "$tmp/other"
# Another loader belongs to another C library.
loader=$(readelf -p .interp "$tmp/plain" | sed -n 's/.*\(ld-[^ ]*\)$/\1/p')
sed "s|$loader|ld-mu${loader:5}|" "$tmp/plain" >"$tmp/musl"
chmod 755 "$tmp/musl"
refused 'another C library' "$tmp/musl: uses another C library than tiermem" "$tmp/musl"
printf '#!%s\n' "$tmp/round" >"$tmp/round"
chmod 755 "$tmp/round"
refused 'a script that is its own interpreter' "$tmp/round: its interpreters go round in a circle" "$tmp/round"
head -c 100 "$tmp/plain" >"$tmp/cut"
chmod 755 "$tmp/cut"
refused 'half a program' "$tmp/cut: its program headers are damaged" "$tmp/cut"
printf '#!/no/such/interpreter\n' >"$tmp/lost"
chmod 755 "$tmp/lost"
tiermem run $mode --large 16M -- "$tmp/lost"
is 'an interpreter that is not there' "$status $err" '125 tiermem run: /no/such/interpreter: No such file or directory'
printf '#!/usr/bin/env bash\necho "${LD_PRELOAD##*/}"\n' >"$tmp/good"
chmod 755 "$tmp/good"
tiermem run $mode --large 16M -- "$tmp/good"
is 'a script' "$status $out$err" '0 libtiermem-large.so'

# ---- where the library is looked for

mkdir "$tmp/bin" "$tmp/with blank"
cp "$TIERMEM" "$tmp/bin/tiermem"
run "$tmp/bin/tiermem" run $mode --large 16M -- true
if [[ $status == 0 ]]; then
	skip 'it is nowhere' 'tiermem is installed here'
else
	like 'it is nowhere' "$status $err" '^125 tiermem run: --large: libtiermem-large\.so is not in .*/tiermem'
fi
cp "$library" "$tmp/bin"
run "$tmp/bin/tiermem" run $mode --large 16M -- true
is 'beside tiermem' "$status $err" '0 '
cp "$TIERMEM" "$tmp/with blank/tiermem"
cp "$library" "$tmp/with blank"
run "$tmp/with blank/tiermem" run $mode --large 16M -- true
like 'a folder that no list can hold' "$status $err" '^125 tiermem run: --large: .*cannot be preloaded'

done_testing
