#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem profile` on captured machines.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

thp=sys/kernel/mm/transparent_hugepage
weights=sys/kernel/mm/mempolicy/weighted_interleave
limit=proc/sys/kernel/numa_balancing_promote_rate_limit_MBps

# fresh NAME: the machine as it is at first, in $root, to write to
fresh()
{
	root=$tmp/roots/$1
	rm -rf "$root"
	mkdir -p "$root"
	tar -C "$(machine "$1")" --exclude 'memory[0-9]*' --exclude 'cpu[0-9]*' --exclude stats -cf - . | tar -C "$root" -xf -
	before=$(sum_of)
}

# Of every file of $root but those in run/
sum_of()
{
	(cd "$root" && find . -path ./run -prune -o -type f -exec sha256sum {} + | sort -k 2 | sha256sum)
}

untouched()
{
	is "$1: nothing is written" "$(sum_of)" "$before"
	ok "$1: nothing is kept" test ! -e "$root/run/tiermem"
}

profile()
{
	tiermem --root "$root" profile "$@"
}

# put TEXT: the rest of a profile's text, in $file
put()
{
	printf '{"schema": "tiermem.profile/1"%s}\n' "${1:+, $1}" >"$file"
}

# keeps NAME: the last run's document, which is seen at the end to keep to its schema
keeps()
{
	like "$1" "$(jq -r .schema "$out_file" 2>&1)" '^tiermem\.[a-z-]+/1$'
	cat "$out_file" >>"$tmp/documents"
}

says()
{
	exits "$2" "$1"
	like "$1: says so" "$err" "$3"
}

doc()
{
	jq -c "$1" <"$out_file"
}

file=$tmp/p.json

# --- save ---

fresh two-tier
profile save
golden profile-save
profile save "$tmp/saved.json"
exits 0 'save to a file'
is 'how many settings' "$out" "$tmp/saved.json: 24 settings"
is 'the file is what standard output has' "$(jq -S 'del(.time)' "$tmp/saved.json")" \
	"$(profile save && jq -S 'del(.time)' "$out_file")"
ok 'the file keeps to its schema' tests/validate "$tmp/saved.json"
is 'nothing is left beside it' "$(ls "$tmp"/saved* "$tmp"/.saved* 2>/dev/null)" "$tmp/saved.json"
umask 027
profile save "$tmp/mode.json"
is 'its mode is the usual one' "$(stat -c %a "$tmp/mode.json")" 640
umask 022
profile save "$tmp/saved.json"
says 'never over a file' 1 'saved\.json: File exists'
like 'never over a file: a hint' "$err" $'\nhint: --force replaces it'
echo old >"$tmp/old.json"
profile save --force "$tmp/old.json"
exits 0 '--force'
ok '--force replaces it' tests/validate "$tmp/old.json"
ln -s old.json "$tmp/link.json"
profile save --force "$tmp/link.json"
says 'no link is replaced' 1 'is no plain file'
profile save "$tmp/nowhere/p.json"
says 'no such folder' 1 'nowhere'
profile save --force
says '--force without a file' 2 '--force: '
profile save --only weights
is 'one section' "$(doc 'keys - ["schema","tiermem","kernel","host","boot_id","root","time"]')" '["weights"]'
profile save --only policy,mthp
is 'two sections' "$(doc '[has("weights"), has("mthp"), has("policy")]')" '[false,true,true]'
profile save --only wieghts
says 'no such section' 2 'wieghts'
profile save --best --only weights
is 'the best of each machine' "$(doc .weights)" '"best"'
profile save --best --only mthp
says '--best without weights' 2 '--best: is about weights'
profile save --json "$tmp/json.json"
is '--json prints it too' "$(doc .schema)" '"tiermem.profile/1"'
# What cannot be set is not kept.
echo 4 >"$root/proc/sys/kernel/numa_balancing"
profile save -v
is 'a value that means nothing' "$(doc '.policy | has("numa-balancing")')" false
like 'a value that means nothing is named' "$err" '/policy/numa-balancing: left out: it holds a value that is none'
profile save
is 'what is not there is left out without a word' "$err" ''

fresh possible-weights
profile save
is 'weights of nodes with memory only' "$(doc .weights)" '{"0":1,"1":1,"2":1,"3":1}'
fresh laptop
profile save -v
is 'a kernel without weights' "$(doc 'has("weights")')" false
like 'a kernel without weights: -v tells' "$err" '/weights: left out: this machine has no such setting'
fresh denied
profile save
is 'what may not be read is left out' "$(doc .weights)" '"auto"'
echo false >"$root/$weights/auto"
profile save
is 'a weight that may not be read' "$(doc .weights)" '{"0":28}'
like 'is counted' "$err" 'this user may not read 1 of the settings, which are left out'
profile save -v
like 'and named with -v' "$err" '/weights/1: left out: this user may not read it'

# --- what is saved is what is so, on every machine ---

for name in auto-type cpu-only-and-hbm fake-numa laptop no-figures offline-node possible-weights two-level-memory weight-file-missing; do
	root=$(machine "$name")
	profile save
	keeps "$name: save"
	cp "$out_file" "$tmp/every.json"
	profile apply --check --json "$tmp/every.json"
	is "$name: --check" "$status $(doc .same)" '0 true'
	cat "$out_file" >>"$tmp/documents"
	profile apply --dry-run "$tmp/every.json"
	is "$name: nothing to do" "$status $out" '0 nothing to do: it is so already'
done

# --- diff and --check ---

fresh two-tier
put '"weights": "auto", "mthp": {"top": {"enabled": "always", "use-zero-page": true}, "sizes":
	{"64K": {"shmem": "always"}, "1G": {"enabled": "never"}, "all": {"enabled": "inherit"}}},
	"policy": {"demotion": true, "numa-balancing": "2", "promote-rate-limit": "65536Mi", "zone-reclaim-mode": 1}'
profile diff "$file"
golden profile-diff
profile diff -v "$file"
like 'with -v all of them' "$out" '/policy/demotion +on +on +same'
profile diff --json "$file"
exits 5 'diff --json'
keeps 'diff --json'
is 'values compare by meaning' "$(doc '[.settings[] | select(.setting | startswith("/policy")) | .state]')" \
	'["same","same","same","missing"]'
is 'all: the sizes without a key of their own' \
	"$(doc '[.settings[] | select(.setting | endswith("/enabled")) | select(.setting | test("K|M")) | .setting[12:]]')" \
	'["16K/enabled","32K/enabled","64K/enabled","128K/enabled","256K/enabled","512K/enabled","1M/enabled","2M/enabled"]'
untouched diff
profile apply --check "$file"
says '--check: what is missing' 3 '/mthp/sizes/1G/enabled: this machine has no such size; /policy/zone-reclaim-mode: this'
like '--check: a hint' "$err" $'\nhint: --skip-missing leaves out'
profile apply --check --skip-missing "$file"
says '--check --skip-missing' 5 '/policy/zone-reclaim-mode: left out: this machine has no /proc/sys/vm/zone_reclaim_mode'
unlike '--check --skip-missing: the differences only' "$out" '1G'
like '--check --skip-missing: the differences' "$out" '/mthp/top/enabled +always +madvise +differs'
untouched '--check'
put '"policy": {"demotion": "on", "promote-rate-limit": "68719476736"}'
profile diff "$file"
is 'no difference' "$status $out" '0 the machine is as the profile says'
profile diff - <"$file"
is 'from standard input' "$status $out" '0 the machine is as the profile says'
profile apply --check -q "$file"
is '-q' "$status $out" '0 '
put ''
profile apply --check "$file"
exits 0 'a profile without settings'
put '"weights": "best"'
profile diff --json "$file"
is 'the best weights are numbers by then' "$(doc '[.settings[] | [.setting, .profile, .machine, .state]]')" \
	'[["/weights/0","9","14","differs"],["/weights/1","9","14","differs"],["/weights/2","1","1","same"],["/weights/3","1","1","same"]]'
for option in --accept --force --dry-run; do
	profile apply --check $option "$file"
	says "--check $option" 2 "$option: not together with --check"
done

fresh stale-weights
put '"weights": "auto"'
profile diff "$file"
is 'stale weights are a difference' "$status $(tail -n 1 "$out_file" | tr -s ' ')" '5 /weights auto stale differs'
fresh no-figures
put '"weights": "best"'
profile diff --json "$file"
is 'no weight is invented' "$status $(doc '.settings[] | [.state, .machine]')" '5 ["missing",null]'
keeps 'unknown bandwidths'
profile apply "$file"
says 'the best weights are not known' 3 '/weights: the bandwidth of node 1 is unknown'
put '"weights": "best", "policy": {"demotion": "on"}'
profile apply --skip-missing "$file"
says '--skip-missing: weights are left out' 0 'p\.json: /weights: left out: the bandwidth of node 1'
is 'the rest is set' "$(cat "$root/sys/kernel/mm/numa/demotion_enabled") $(cat "$root/$weights/node0")" 'true 1'
put '"weights": "auto"'
profile apply "$file"
says 'a kernel without automatic weights' 3 'has no automatic weights'
fresh laptop
put '"weights": {"0": 1}'
profile apply "$file"
says 'a kernel without weights' 3 '/weights: kernel 6\.1\.0-39-amd64 has no weighted interleave'
fresh weight-file-missing
put '"weights": {"0": 3, "1": 1, "7": 2}'
profile apply "$file"
says 'a node without a weight file, and one without memory' 3 '/weights/1: the node has memory but no weight file'
like 'both are named' "$err" '/weights/7: node 7 has no memory here'
profile apply --skip-missing --accept "$file"
is 'the others are set' "$status $(cat "$root/$weights/node0")" '0 3'
fresh denied
put '"policy": {"demotion": "on"}, "weights": {"1": 3}'
profile diff "$file"
exits 5 'a difference beside what may not be read'
like 'what may not be read' "$out" '/weights/1 +3 +denied +unreadable'
profile apply "$file"
says 'what may not be read is not set' 1 'node1: permission denied'
untouched 'what may not be read'

# --- apply ---

fresh two-tier
put '"weights": {"0": 5, "1": 5}, "mthp": {"top": {"shmem": "within_size"}, "sizes": {"64K": {"shmem": "always"}}},
	"policy": {"demotion": "off", "promote-rate-limit": "20G"}'
profile apply --dry-run --json "$file"
exits 0 'a dry run'
keeps 'a dry run'
is 'all sections are one plan' "$(doc '[.changes[] | select(.state == "planned") | .to]')" \
	'["false","5","5","within_size","always","false","19073"]'
untouched 'a dry run'
profile apply "$file"
golden profile-apply
is 'the settings are so' "$(cat "$root/$weights/"{auto,node0,node2} "$root/$thp/"{,hugepages-64kB/}shmem_enabled "$root/$limit" |
	tr '\n' ' ')" 'false 5 1 within_size always 19073 '
profile apply --check "$file"
is 'and --check says so' "$status $out" '0 the machine is as the profile says'
rm "$root/run/tiermem/last.journal"
run traced open,openat,openat2,creat,write,rename,unlink "$TIERMEM" --root "$root" profile apply "$file"
is 'the second time there is nothing to do' "$status $out" '0 nothing to do: it is so already'
is 'nothing is opened for writing' "$(grep -E 'O_(WRONLY|RDWR|CREAT)' "$tmp/strace")" ''
is 'only the message is written' "$(grep -cE 'write\(|rename|unlink|creat' "$tmp/strace")" 1
ok 'and no journal is kept' test ! -e "$root/run/tiermem/last.journal"
fresh two-tier
profile apply "$file" && tiermem --root "$root" undo
exits 0 undo
is 'undo restores all' "$(cat "$root/$weights/node0" "$root/$thp/shmem_enabled" "$root/$limit" | tr '\n' ' ')" '14 never 65536 '
put '"policy": {"demotion": "off"}, "weights": "best"'
profile apply "$file" --json
is 'the best weights' "$status $(doc .state) $(cat "$root/$weights/"node{0,2} | tr '\n' ' ')" '0 "applied" 9 1 '
keeps 'apply --json'

# Half-way: a file that cannot be read back as it was written.
fresh two-tier
put '"policy": {"demotion": "off", "promote-rate-limit": "20G"}, "mthp": {"sizes": {"64K": {"shmem": "always"}}}'
if [[ $EUID == 0 ]] && unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016 # for the inner shell
	run unshare -m --propagation private bash -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" &&
		exec "$2" --root "$1" profile apply "$3"' - "$root" "$TIERMEM" "$file"
	says 'a read-only /sys' 1 'Read-only file system'
	untouched 'a read-only /sys'
	# shellcheck disable=SC2016
	run unshare -m --propagation private bash -c 'mount --bind "$1/sys" "$1/sys" && mount -o remount,bind,ro "$1/sys" &&
		exec "$2" --root "$1" profile apply "$3"' - "$root" "$TIERMEM" "$file"
	says 'a part that is read-only' 1 'Read-only file system'
	is 'a part that is read-only: nothing is written' "$(sum_of)" "$before"
else
	skip 'a read-only /sys' 'no mount namespace may be made'
fi
tiermem --root "$root" snapshot "$tmp/machine.tar"
tiermem --root "$tmp/machine.tar" profile apply "$file"
says 'an archive' 2 '--root: nothing can be written to an archive'
tiermem --root "$tmp/machine.tar" profile diff "$file"
exits 5 'an archive can be compared'

mkdir -p "$root/proc/sys/vm" "$root/sys/kernel/debug/sched/numa_balancing"
echo 1 >"$root/proc/sys/vm/zone_reclaim_mode"
echo 1000 >"$root/sys/kernel/debug/sched/numa_balancing/scan_delay_ms"
profile save --only mthp,policy --force "$tmp/live.json"
tiermem --root "$root" snapshot --force "$tmp/machine.tar"
tiermem --root "$tmp/machine.tar" profile save --only mthp,policy
is 'a snapshot has every setting' "$(doc 'del(.time, .root)')" "$(jq -c 'del(.time, .root)' "$tmp/live.json")"
is 'also those of debugfs' "$(doc '.policy["scan-delay", "zone-reclaim-mode"]')" $'1000\n"clean"'

# Weights that harm
fresh two-tier
for node in 2 3; do
	for class in 0 1; do
		for figure in read_bandwidth write_bandwidth; do
			echo 100 >"$root/sys/devices/system/node/node$node/access$class/initiators/$figure"
		done
	done
done
before=$(sum_of)
put '"weights": "best"'
profile apply "$file"
says 'slower than local memory' 1 'node 2-3 would make it slower than local memory alone'
like 'slower than local memory: a hint' "$err" $'\nhint: give the weights as numbers, or add --force'
untouched 'slower than local memory'
profile apply --force "$file"
exits 0 '--force'

# --- what is not understood ---

fresh two-tier
# wrong TEXT MESSAGE
wrong()
{
	put "$1"
	profile apply "$file"
	says "$1" 1 "^tiermem profile apply: $file: $2"
	profile diff "$file"
	exits 1 "diff: $1"
}
wrong '"polcy": {}' "/: unknown key 'polcy'"
like 'what was meant' "$err" $'\nhint: did you mean policy\?'
wrong '"policy": {"demotion": "maybe"}' "/policy/demotion: 'maybe' is no value for it"
wrong '"policy": {"demotion": [1]}' '/policy/demotion: it is an array'
wrong '"policy": {"demotion": true, "demotion": false}' '.*"demotion" is there twice'
wrong '"policy": {"promote-rate-limit": "2MB/s"}' "/policy/promote-rate-limit: '2MB/s' is no value"
wrong '"mthp": {"sizes": {"64K": {"shmem": "madvise"}}}' "/mthp/sizes/64K/shmem: 'madvise' is no value for it"
like 'what was meant by it' "$err" 'did you mean advise\?'
wrong '"mthp": {"sizes": {"64K": {"shmem": "always"}, "64Ki": {"shmem": "never"}}}' '/mthp/sizes/64K/shmem: is there twice'
wrong '"weights": {"0": 256}' '/weights/0: '
wrong '"weights": "besst"' "/weights: 'besst' is no value"
for text in '' '{' '[]' '{}' '{"schema": "tiermem.plan/1"}' '{"schema": "tiermem.profile/2"}' $'{"schema": "tiermem.profile/1"}\n{}'; do
	printf '%s' "$text" >"$file"
	profile apply "$file"
	says "no profile: $text" 1 "^tiermem profile apply: $file: "
done
head -c 1100000 /dev/zero | tr '\0' ' ' >"$file"
profile apply "$file"
says 'a file that is too large' 1 'File too large'
profile apply "$tmp/nowhere.json"
says 'no such file' 1 'nowhere\.json: No such file'
profile apply "$tmp"
says 'a folder' 1 'Is a directory'
profile apply
exits 2 'no file named'
untouched 'what is not understood'

# A word that other kernels take is what this one lacks.
echo 'always inherit [never]' >"$root/$thp/hugepages-64kB/shmem_enabled"
before=$(sum_of)
put '"mthp": {"sizes": {"64K": {"shmem": "advise"}}}'
profile apply "$file"
says 'a word of other kernels' 3 '/mthp/sizes/64K/shmem: this kernel does not take that value'
untouched 'a word of other kernels'
rm -r "$root/$thp"/hugepages-*
put '"mthp": {"sizes": {"all": {"shmem": "never"}, "2M": {"shmem": "never"}}}'
profile apply --skip-missing "$file"
says 'a kernel without sizes' 0 '/mthp/sizes/2M/shmem: left out: .*; it came with Linux 6\.11'
like 'a kernel without sizes: all' "$err" '/mthp/sizes/all/shmem: left out: this machine has no such setting for any size'

# Every setting that there is has its place in the schema.
is 'the schema knows every setting' \
	"$(jq -r '.properties | (.mthp.properties.top, .mthp.properties.sizes.patternProperties[], .policy) | .properties | keys[]' \
		schemas/tiermem.profile-1.schema.json | sort -u)" \
	"$(sed -n 's/^\t\t\.name = "\(.*\)",$/\1/p' lib/knob/{thp,policy}.c | sort -u)"
valid_json 'all documents keep to their schemas' "$tmp/documents"

done_testing
