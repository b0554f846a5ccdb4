#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What becomes of weights where tiermem was killed, runs twice, or may not write: `recover`, `undo` and commands that write.
# shellcheck source=tests/cli/weights.sh
. "${BASH_SOURCE[0]%/*}/weights.sh"

# --- journals ---

# dead_journal STATE: as a process leaves it that was killed before it wrote (none), half-way, or after it
dead_journal()
{
	fresh two-tier
	weights apply -q
	sed -i 's/"start":[^,]*,/"start": 1,/' "$root/run/tiermem/last.journal"
	mv "$root/run/tiermem/last.journal" "$root/run/tiermem/9-1-0.journal"
	case $1 in
	none) echo 14 | tee "$root/$folder/node0" "$root/$folder/node1" >/dev/null ;;&
	half) echo 14 >"$root/$folder/node1" ;;
	none) echo true >"$root/$folder/auto" ;;
	esac
}

# copied: the tree as it is now; same NAME: it is still so
copied()
{
	rm -rf "$tmp/copy"
	cp -a "$root" "$tmp/copy"
}

same()
{
	ok "$1" diff -r --no-dereference "$tmp/copy" "$root"
}

# finished NAME: the machine is as it was, and nothing is unfinished
finished()
{
	is "$1: byte for byte" "$(sum_of "$root")" "$before"
	is "$1: no journal is left" "$(find "$root/run/tiermem" -name '*.journal')" ''
	tiermem --root "$root" recover
	is "$1: nothing to recover" "$status $out$err" '0 nothing to recover'
}

other=(--bandwidth '0=9G,1=1G,2=1G,3=1G')
for how in none half all; do
	name="killed ($how)"
	dead_journal $how
	copied
	for command in topology 'topology --json' 'weights show' 'weights compute' 'weights show --json' \
		'run --dry-run -- true'; do
		# shellcheck disable=SC2086
		tiermem --root "$root" $command
		exits 0 "$name: $command goes on"
		like "$name: $command says it" "$err" \
			'warning: a killed tiermem weights apply has left settings half-way: .tiermem recover. '
	done
	weights apply "${other[@]}" --dry-run
	says "$name: what would be done is not known yet" 1 'half-way'
	like "$name: what helps" "$err" $'\nhint: .*tiermem recover'
	weights apply --nodes 9
	says "$name: wrong usage" 2 '--nodes'
	weights apply --nodes 0 --from hmat
	says "$name: unknown bandwidth" 3 'unknown'
	for command in recover undo; do
		tiermem --root "$root" $command --dry-run --json
		exits 0 "$name: $command --dry-run"
		keeps "$name: $command --dry-run: its document"
		is "$name: $command --dry-run: what it would do" "$(doc .state)" '"planned"'
	done
	same "$name: none of these writes"

	# Writers take it back first.
	weights apply "${other[@]}" --json
	exits 0 "$name: apply"
	keeps "$name: apply: its document"
	is "$name: apply: from what was there before" "$(doc '[.changes[].from]')" '["true","14","14","1","1"]'
	is "$name: apply: its own weights" "$(now auto node{0..3})" 'false 9 1 1 1 '
	case $how in
	none) wanted='a killed tiermem weights apply had written nothing yet; its journal is removed' ;;
	half) wanted="/node0: a killed tiermem weights apply had changed it; put back to '14'\$" ;;
	all) wanted="/node1: a killed tiermem weights apply had changed it; put back to '14'\$" ;;
	esac
	like "$name: apply: says what became of it" "$err" "$wanted"
	tiermem --root "$root" undo
	exits 0 "$name: undo of apply"
	finished "$name: undo of apply"

	dead_journal $how
	weights reset
	is "$name: reset" "$status $out" '0 nothing to do: it is so already'
	like "$name: reset: says what became of it" "$err" 'a killed tiermem weights apply had'
	finished "$name: reset"

	dead_journal $how
	weights apply -q
	is "$name: quietly" "$status $out$err $(now auto node{0..3})" '0  false 9 9 1 1 '

	dead_journal $how
	tiermem --root "$root" undo --json
	exits 0 "$name: undo takes it back"
	keeps "$name: undo: its document"
	is "$name: undo: in the document" "$(doc .state)" '"restored"'
	like "$name: undo: whose it was" "$err" 'what a killed tiermem weights apply left'
	finished "$name: undo"

	dead_journal $how
	tiermem --root "$root" recover --json
	exits 0 "$name: recover"
	keeps "$name: recover: what it did"
	finished "$name: recover"
done
rm -rf "$tmp/copy"

# A plan that was applied, and a later one that was killed: each is undone in its turn.
fresh two-tier
weights apply -q
cp "$root/run/tiermem/last.journal" "$tmp/last.journal"
weights apply "${other[@]}" -q
sed 's/"start":[^,]*,/"start": 1,/' "$root/run/tiermem/last.journal" >"$root/run/tiermem/9.journal"
cp "$tmp/last.journal" "$root/run/tiermem"
tiermem --root "$root" undo
is 'the killed one first' "$status $(now auto node{0..3})" '0 false 9 9 1 1 '
like 'the other one is named' "$err" 'the last plan that was finished, weights apply, stays'
tiermem --root "$root" undo
exits 0 'then the other one'
finished 'then the other one'

# undo itself was killed
dead_journal half
mv "$root/run/tiermem/9-1-0.journal" "$root/run/tiermem/undo.journal"
tiermem --root "$root" undo
exits 0 'undo goes on where it was killed'
finished 'undo goes on where it was killed'

# A stranger's value stays, and stops the command that found it; the next one goes on.
dead_journal all
echo 77 >"$root/$folder/node0"
weights apply "${other[@]}" --json
exits 4 "a writer finds a stranger's value"
keeps "a writer finds a stranger's value: its document"
like "it is named" "$err" "node0: somebody else set it to '77'.*; it was '14' before"
is "it stays, the rest is restored, and nothing else is written" "$(now auto node{0..3})" 'true 77 14 1 1 '
weights apply "${other[@]}"
is 'it bars nobody for ever' "$status $(now auto node{0..3})" '0 false 9 1 1 1 '

dead_journal all
echo 77 >"$root/$folder/node0"
tiermem --root "$root" recover --json
exits 4 "a stranger's value"
keeps "a stranger's value: the document"
like "a stranger's value is named" "$err" "node0: somebody else set it to '77'.*; it was '14' before"
is "a stranger's value stays, the rest is restored" "$(now auto node0 node1)" 'true 77 14 '
weights apply -q
exits 0 'and bars nobody for ever'

fresh two-tier
weights apply -q
echo 78 >"$root/$folder/node1"
tiermem --root "$root" undo
says "undo: a stranger's value" 4 "node1: somebody else set it to '78'"
is "undo: his stays, ours are restored" "$(now auto node0 node1)" 'true 14 78 '
echo 9 >"$root/$folder/node1"
tiermem --root "$root" undo
is 'undo can be tried again' "$status $(now node1)" '0 14 '

# A process that lives: this shell
fresh two-tier
weights apply -q
start=$(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 20)
sed -i "s/\"start\":[^,]*,/\"start\": $start,/; s/\"pid\":[^,]*,/\"pid\": $$,/" "$root/run/tiermem/last.journal"
mv "$root/run/tiermem/last.journal" "$root/run/tiermem/$$.journal"
weights apply --bandwidth 0=9G,1=1G,2=1G,3=1G
says 'a live lease' 1 "process $$ \(tiermem weights apply\) holds it"
weights apply
says 'a live lease: what is so already will not last' 1 "process $$ \(tiermem weights apply\) holds it"
weights apply --nodes 2 --bandwidth 2=5G --max-weight 9 --assume-unknown 1
says 'a live lease: files that need no writing' 1 "process $$ \(tiermem weights apply\) holds it"
weights apply --nodes 2 --dry-run
says 'a live lease: a dry run says so too' 1 "/auto: process $$ "
tiermem --root "$root" run --dry-run --nodes 2 --weights 3 -- true
says 'a live lease: run' 125 "/auto: process $$ "
tiermem --root "$root" run --dry-run --nodes 2 --weights 1 -- true
says 'a live lease: run with the weights that are set' 125 "/auto: process $$ "
weights show
is 'a live lease is nothing to tell of' "$status$err" 0
tiermem --root "$root" undo
says 'a live lease: undo' 1 'nothing to undo'
tiermem --root "$root" recover
exits 0 'recover leaves it alone'
like 'and says so' "$err" "process $$ .*lives"
is 'as it was' "$(now auto node0)" 'false 9 '

fresh two-tier
weights apply -q
echo '{' >"$root/run/tiermem/1.journal"
weights reset
says 'a damaged journal' 1 '1\.journal'
weights show
exits 0 'a damaged journal: readers go on'
like 'a damaged journal: readers say it' "$err" 'warning: .*1\.journal'
tiermem --root "$root" undo
says 'a damaged journal: undo' 1 '1\.journal'
tiermem --root "$root" recover
says 'recover names it' 1 '1\.journal'

# Another tiermem holds the lock.
fresh two-tier
weights apply -q
(
	flock 9
	weights reset
	printf '%s %s\n' "$status" "$err" >"$tmp/locked"
	tiermem --root "$root" undo
	printf '%s %s\n' "$status" "$err" >"$tmp/locked-undo"
) 9<"$root/run/tiermem/lock"
like 'two at once' "$(cat "$tmp/locked")" '^1 .*another tiermem is writing'
like 'two at once: undo' "$(cat "$tmp/locked-undo")" '^1 .*another tiermem is writing'

# --- a folder of somebody else's, and archives ---

fresh two-tier
mkdir -p "$root/run" "$tmp/elsewhere"
ln -s "$tmp/elsewhere" "$root/run/tiermem"
weights apply
exits 1 'the state folder is no link'
is 'nothing is written through it' "$(sum_of "$root") $(ls "$tmp/elsewhere")" "$before "

if [[ $EUID != 0 ]]; then
	skip 'read-only files' 'only root has another user at hand'
else
	fresh two-tier
	chmod -R a+rX "$tmp"
	run setpriv --reuid 65534 --clear-groups "$TIERMEM" --root "$root" weights apply
	says 'not allowed to write' 1 "/auto: Permission denied"
	like 'not allowed to write: a hint' "$err" $'\nhint: settings are written by root'
	untouched 'not allowed to write'
fi

fresh two-tier
tiermem --root "$root" snapshot "$tmp/two-tier.tar"
for command in 'weights apply' 'weights reset' 'weights apply --auto' undo recover; do
	# shellcheck disable=SC2086
	tiermem --root "$tmp/two-tier.tar" $command
	says "an archive: $command" 2 '--root: nothing can be written to an archive'
done
tiermem --root "$tmp/two-tier.tar" weights apply --dry-run --json
exits 0 'an archive: a dry run'
is 'an archive: what would be written' "$(doc '[.changes[] | select(.state == "planned") | .to]')" '["false","9","9"]'
tiermem --root "$tmp/two-tier.tar" weights show
exits 0 'an archive: show'

ends
