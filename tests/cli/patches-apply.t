#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `tiermem patches apply`: what it makes is compared with what patch and git make, and every call on the way fails once.
# Functions are called by name, and single quotes hold scripts.
# shellcheck source=tests/cli/patches.sh disable=SC2016,SC2317
. "${BASH_SOURCE[0]%/*}/patches.sh"

# --- apply, as patch and git do ---

fresh
cp -a "$tree" "$tmp/by-patch"
cp -a "$tree" "$tmp/by-git"
patches apply "$tree"
is 'all are applied' "$status $(outcomes) $err" "0 $(all applied) "
like 'how many files' "$out" $'\n[0-9]+ files written$'
unlike 'nothing of git' "$out" 'commit'
if command -v patch >/dev/null; then
	while read -r name; do
		patch -d "$tmp/by-patch" -p1 -F0 -s -f --no-backup-if-mismatch <"$shipped/$name" || fail "patch takes $name"
	done <"$shipped/series"
	is 'the same as by patch' "$(sum_of "$tree")" "$(sum_of "$tmp/by-patch")"
else
	skip 'the same as by patch' 'patch is not installed'
fi
if command -v git >/dev/null; then
	while read -r name; do
		(cd "$tmp/by-git" && git apply "$top/$shipped/$name") || fail "git takes $name"
	done <"$shipped/series"
	is 'the same as by git' "$(sum_of "$tree")" "$(sum_of "$tmp/by-git")"
else
	skip 'the same as by git' 'git is not installed'
fi
ok 'nothing is left beside' test -z "$(find "$tree" -name '.tiermem-*' -o -name '*.orig' -o -name '*.rej')"
after=$(sum_of "$tree")
times=$(find "$tree" -type f -printf '%T@ %p\n' | sort)
patches check "$tree"
is 'then all are there' "$status $(outcomes)" "0 $(all there)"
patches apply "$tree"
is 'again: nothing to do' "$status $(outcomes) ${out##*$'\n'}" "0 $(all there) nothing to do"
is 'and nothing is written' "$(find "$tree" -type f -printf '%T@ %p\n' | sort)" "$times"
patches apply --reverse --dry-run "$tree"
is '--reverse --dry-run' "$status $(outcomes | tr ' ' '\n' | grep -c reverses)" "0 ${#names[@]}"
is 'writes nothing' "$(sum_of "$tree")" "$after"
patches apply --reverse "$tree"
is '--reverse: the last first' "$status $(outcomes | tr ' ' '\n' | grep '^0' | paste -sd ' ')" \
	"0 $(printf '%s\n' "${names[@]%%-*}" | tac | paste -sd ' ')"
untouched 'there and back'
patches apply --reverse "$tree"
is 'nothing to take back' "$status ${out##*$'\n'}" '0 nothing to do'
patches apply --json --dry-run "$tree"
exits 0 '--dry-run --json'
keeps 'is a document'
is 'it says so' "$(doc '[.action, .dry_run, .written, ([.patches[].outcome] | unique)]')" '["apply",true,false,["applies"]]'
untouched '--dry-run'
patches apply --dry-run "$tree"
like 'as text' "$out" $'\n[0-9]+ files would be written$'
for name in "${names[@]}"; do
	patches apply "$tree" "$name"
	is "$name alone" "$status $(outcomes)" "0 $(all applied "$name")"
	patches check "$tree" "$name"
	is "$name is there then" "$(outcomes)" "$(all there "$name")"
	patches apply --reverse "$tree" "$name"
	untouched "$name and back"
done
patches apply "$tree" "${names[1]}"
patches apply --json "$tree"
is 'what is there is left' "$status $(doc '[.patches[] | select(.outcome == "there") | .name]')" "0 [\"${names[1]}\"]"
keeps 'a document'
is 'the others are applied' "$(sum_of "$tree")" "$after"
patches apply -R -q "$tree"
is '-q' "$status $out" '0 '
untouched 'back by the letter'

# A conflict in the last one, in a file that no other changes: nothing of any.
fresh
changed=$(sed -n 's|^+++ b/||p' "$shipped"/*.patch | sort | uniq -u |
	grep -xFf <(sed -n 's|^+++ b/||p' "$shipped/$last.patch") | head -n 1)
sed -i 's/[a-z]/x/' "$tree/$changed"
before=$(sum_of "$tree")
patches apply "$tree"
exits 1 'a conflict in the last patch'
like 'the outcomes come first' "$out" $'\n'"$last +conflict +"
like 'then the error, and what helps' "$err" \
	"^tiermem patches apply: $last: does not apply, because of $changed: nothing is written"$'\n'"hint: the others can be applied: name them after DIR\$"
untouched 'a conflict in the last patch'
patches apply --json "$tree"
exits 1 'with --json'
keeps 'one document'
is 'nothing is written, it says' "$(doc '[.written, .patches[-1].outcome]')" '[false,"conflict"]'
untouched 'with --json'
patches apply "$tree" "${names[@]:0:${#names[@]}-1}"
exits 0 'the others can be named'
patches apply --reverse "$tree" "$last"
exits 1 'nor is it taken back'
like 'which is said' "$err" "^tiermem patches apply: $last: cannot be taken back, because of "

# --- git ---

if command -v git >/dev/null; then
	fresh
	git() { command git -C "$tree" -c user.name=t -c user.email=t@t -c init.defaultBranch=m "$@"; }
	git init -q
	git add -A
	git commit -qm base
	patches apply "$tree"
	exits 0 'in a git tree'
	like 'what is left to do is said' "$out" $'\nnothing is committed: `git add` and `git commit` do that$'
	is 'nothing is committed, nothing is in the index' "$(git log --oneline | wc -l) $(git diff --cached --stat)" '1 '
	is 'what git sees' "$(git status --porcelain)" \
		"$(awk 'FNR == 1 { old = "" } /^--- / { old = $2 }
			sub("^[+][+][+] b/", "") { print (old == "/dev/null" ? "?? " : " M ") $0 }' "$shipped"/*.patch | sort -u)"
	patches check --json "$tree"
	is 'the document knows git' "$(doc .tree.git)" true
	patches apply --reverse "$tree"
	is 'taken back: git sees nothing' "$(git status --porcelain)" ''
	unset -f git
else
	skip 'in a git tree' 'git is not installed'
fi

# --- new files, deleted files, modes, and patches over one another ---

small=$tmp/small/6.12
mkdir -p "$small"
printf '0001-one.patch\n0002-two.patch\n' >"$small/series"
cat >"$small/0001-one.patch" <<'END'
Subject: [PATCH] one

diff --git a/a.c b/a.c
--- a/a.c
+++ b/a.c
@@ -1,4 +1,5 @@
 one
 two
+two and a half
 three
 four
diff --git a/gone/old.c b/gone/old.c
deleted file mode 100644
--- a/gone/old.c
+++ /dev/null
@@ -1,2 +0,0 @@
-old
-older
\ No newline at end of file
diff --git a/new/dir/file.c b/new/dir/file.c
new file mode 100644
--- /dev/null
+++ b/new/dir/file.c
@@ -0,0 +1,2 @@
+new
+newer
\ No newline at end of file
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
--- a/run.sh
+++ b/run.sh
@@ -1 +1 @@
-echo 1
+echo 2
END
cat >"$small/0002-two.patch" <<'END'
diff --git a/a.c b/a.c
--- a/a.c
+++ b/a.c
@@ -1,5 +1,5 @@
 one
 two
-two and a half
+two and two thirds
 three
 four
diff --git a/empty b/empty
new file mode 100755
diff --git a/run.sh b/run.sh
old mode 100755
new mode 100644
END
rm -rf "$tmp/few"
mkdir -p "$tmp/few/gone" "$tmp/few/other"
cp "$tmp/made/Makefile" "$tmp/few/"
printf '%s\n' one two three four >"$tmp/few/a.c"
printf 'old\nolder' >"$tmp/few/gone/old.c"
printf 'echo 1\n' >"$tmp/few/run.sh"
printf 'x\n' >"$tmp/few/other/x"
chmod 644 "$tmp/few/gone/old.c" "$tmp/few/run.sh"
chmod 640 "$tmp/few/a.c"
few()
{
	rm -rf "$tree"
	cp -a "$tmp/few" "$tree"
	before=$(sum_of "$tree")
}
apply()
{
	tiermem patches apply --patches "$small" "$@"
}

few
apply "$tree" 0001
is 'all kinds of changes' "$status $(cat "$tree/a.c" "$tree/run.sh" "$tree/new/dir/file.c" | paste -sd ,)" \
	'0 one,two,two and a half,three,four,echo 2,new,newer'
is 'modes are kept, or as the patch says' "$(stat -c %a "$tree/a.c" "$tree/run.sh" | paste -sd ' ')" '640 755'
ok 'a folder goes with its last file' test ! -e "$tree/gone"
apply "$tree"
is 'the other one, over it' "$status $(outcomes)" '0 0001 there 0002 applied'
is 'and its modes' "$(stat -c %a "$tree/empty" "$tree/run.sh" | paste -sd ' ')" '755 644'
cp -a "$tree" "$tmp/both"
tiermem patches check --patches "$small" "$tree"
is 'both are there, though the later changed what the earlier brought' "$status $(outcomes)" '0 0001 there 0002 there'
tiermem patches check --patches "$small" "$tree" 0001
is 'also when the earlier is asked for alone' "$status $(outcomes)" '0 0001 there'
apply --reverse "$tree" 0001
exits 1 'the earlier cannot be taken back alone'
is 'nothing is written' "$(sum_of "$tree")" "$(sum_of "$tmp/both")"
apply --reverse --json "$tree"
exits 0 'both can'
keeps 'a document'
is 'what that did' "$(doc '[.files[] | "\(.path) \(.change)"]')" \
	'["a.c changed","empty deleted","gone/old.c created","new/dir/file.c deleted","run.sh changed"]'
is 'which gives back all' "$(sum_of "$tree")" "$before"
apply "$tree"
is 'both at once' "$(sum_of "$tree")" "$(sum_of "$tmp/both")"
if command -v git >/dev/null; then
	few
	(cd "$tree" && git apply "$small/0001-one.patch" && git apply "$small/0002-two.patch")
	ok 'git makes the same of them' diff -r "$tree" "$tmp/both"
fi

few
mkdir -p "$tree/new/dir"
printf 'mine\n' >"$tree/new/dir/file.c"
before=$(sum_of "$tree")
apply "$tree"
is 'a new file that is there already' "$status $(sed -nE 's/^0001-one +//p' "$out_file")" \
	'1 conflict new/dir/file.c is there already'
untouched 'a new file that is there already'
few
printf 'more\n' >>"$tree/gone/old.c"
before=$(sum_of "$tree")
apply "$tree"
like 'a deleted file that has changed' "$status $out" '^1 .*conflict gone/old\.c: hunk 1, line 2: '
untouched 'a deleted file that has changed'
few
chmod 755 "$tree/run.sh"
apply "$tree"
like 'a file of another mode' "$status $out" '^1 .*conflict run\.sh has another mode'
few
printf 'zero\n' | cat - "$tree/a.c" >"$tree/b"
mv "$tree/b" "$tree/a.c"
chmod 640 "$tree/a.c"
apply "$tree"
is 'lines before the first' "$status $(outcomes)" '0 0001 applied 0002 applied'
few
ln "$tree/a.c" "$tmp/linked.c"
apply "$tree"
is 'another name of the file keeps what it was' "$(paste -sd , "$tmp/linked.c")" 'one,two,three,four'
few
(umask 077 && apply "$tree" && stat -c %a "$tree/new/dir/file.c" >"$tmp/mode")
is 'a new file is made as the shell would' "$(cat "$tmp/mode")" 600
if [[ $EUID == 0 ]]; then
	few
	chown -R 12345:12346 "$tree"
	apply "$tree"
	is 'root keeps the owners' "$status $(stat -c %u:%g "$tree/a.c")" '0 12345:12346'
else
	skip 'root keeps the owners' 'only root can give files away'
fi

# --- failures while it writes ---

# No file is left, which a process that was killed may need a moment for.
clean()
{
	local try

	for ((try = 0; try < 200; try++)); do
		[[ -z $(find "$tree" -name '.tiermem-*') ]] && return
		sleep 0.05
	done
	return 1
}
# faulty WHAT ARG...: apply, where strace makes calls fail; the helper processes are left alone
faulty()
{
	local what=$1

	shift
	# Whatever signals the caller ignores.
	run env --default-signal ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -qq -o /dev/null -e "inject=$what" \
		"$TIERMEM" patches apply --patches "$small" "$@"
}

# Each call, one after the other: as long as one fails, nothing of it is seen.
sweep()
{
	local name=$1 call=$2 error=$3 n bad='' done='' wanted

	shift 3
	few
	wanted=$(sum_of "$tmp/both")
	if (($#)); then
		wanted=$before
		rm -r "$tree"
		cp -a "$tmp/both" "$tree"
		before=$(sum_of "$tree")
	fi
	for ((n = 1; n < 40; n++)); do
		faulty "$call:error=$error:when=$n" "$@" "$tree"
		# What it printed is lost then, and only that.
		if [[ $status == 0 || $err == *': standard output: '* ]]; then
			# A folder that is empty and cannot be removed is none of git's.
			rmdir "$tree/gone" 2>/dev/null
			done=$(sum_of "$tree")
			break
		fi
		[[ $status == 1 && $(sum_of "$tree") == "$before" ]] && clean || bad+=" $n:$status"
	done
	is "$name: all or nothing" "$bad" ''
	ok "$name: some failed" test "$n" -gt 1
	is "$name: the first that does not fail does all" "$done" "$wanted"
}
sweep 'a full disk' write ENOSPC
sweep 'a disk that fails' fsync EIO
sweep 'renames that fail' renameat EXDEV
sweep 'renames to new names that fail' renameat2 EXDEV
sweep 'removing that fails' unlinkat EROFS
sweep 'modes that fail' fchmod EPERM
sweep 'folders that fail' mkdirat ENOSPC
sweep 'a full disk, taking back' write ENOSPC --reverse
sweep 'renames that fail, taking back' renameat EIO --reverse

# It cannot even be put back.
few
faulty renameat:error=EIO:when=2+ "$tree"
exits 4 'what cannot be put back'
like 'why' "${err%%$'\n'*}" "^tiermem patches apply: $tree/run\\.sh: cannot be written: Input/output error\$"
like 'is named' "$err" $'\n'"tiermem patches apply: warning: $tree/a\\.c: could not be put back\$"
ok 'nothing is left beside' clean

# Signals wait for all or nothing.
for signal in INT TERM HUP QUIT; do
	few
	faulty "renameat:signal=$signal:when=1" "$tree"
	is "SIG$signal in the midst: that ends it" "$status" $((128 + $(kill -l $signal)))
	untouched "SIG$signal in the midst"
	few
	# The second rename over what is there is the last step.
	faulty "renameat:signal=$signal:when=2" "$tree"
	is "SIG$signal at the end: that ends it" "$status" $((128 + $(kill -l $signal)))
	is "SIG$signal at the end: all is done" "$(sum_of "$tree")" "$(sum_of "$tmp/both")"
	ok "SIG$signal: nothing is left beside" clean
done
few
run bash -c 'trap "" HUP; exec env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -qq -o /dev/null \
	-e "inject=renameat:signal=HUP:when=1" "$1" patches apply --patches "$2" "$3"' - "$TIERMEM" "$small" "$tree"
is 'one that is ignored stays so' "$status $(sum_of "$tree")" "0 $(sum_of "$tmp/both")"

# Killed before the first file has its place.
few
env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -qq -o /dev/null \
	-e 'inject=renameat:delay_enter=20000000:when=1' "$TIERMEM" patches apply --patches "$small" "$tree" \
	>/dev/null 2>&1 &
strace=$!
for ((try = 0; try < 200; try++)); do
	[[ $(find "$tree" -name '.tiermem-*' | wc -l) == 4 ]] && break
	sleep 0.05
done
is 'each file is written beside its place first' "$(find "$tree" -name '.tiermem-*' | wc -l)" 4
kill -KILL "$(pgrep -P "$strace" -x tiermem)"
kill -KILL "$strace" 2>/dev/null
wait "$strace" 2>/dev/null
ok 'killed: nothing is left beside' clean
rmdir "$tree/new/dir" "$tree/new"
untouched 'killed'

fresh
run bash -c 'ulimit -f 40; exec "$1" patches apply --patches "$2" "$3"' - "$TIERMEM" "$shipped" "$tree"
like 'a limit of size' "$status $err" '^1 .*: cannot be written: File too large$'
untouched 'a limit of size'
ok 'a limit of size: nothing is left beside' clean

# in_private COMMAND: in a mount namespace of its own
in_private()
{
	unshare -m --propagation private bash -c "$@"
}
mkdir "$tmp/mount"
if in_private 'mount -t tmpfs -o size=16k tmpfs "$1"' - "$tmp/mount" 2>/dev/null; then
	run in_private 'mount -t tmpfs -o size=2100k tmpfs "$3/mount" && cp -a "$3/made/." "$3/mount" || exit 99
		head -c 3000000 /dev/zero >"$3/mount/fill" 2>/dev/null
		sum() { (cd "$3/mount" && find . -type f ! -name fill -exec sha256sum {} + | sort | sha256sum); }
		before=$(sum "$@")
		"$1" patches apply --patches "$2" "$3/mount" >/dev/null
		echo "$? $(ls -A "$3/mount" | grep -c "^\.tiermem") $([[ $(sum "$@") == "$before" ]] && echo same)"' - \
		"$TIERMEM" "$shipped" "$tmp"
	is 'a full file system' "$out" '1 0 same'
	like 'which is said' "$err" ': cannot be written: No space left on device'
	few
	run in_private 'mount --bind "$3/other" "$3/other" && mount --bind "$3/run.sh" "$3/run.sh" || exit 99
		"$1" patches apply --patches "$2" "$3"' - "$TIERMEM" "$small" "$tree"
	like 'a file that nothing can replace, after others were' "$status $err" \
		'^1 .*/run\.sh: cannot be written: Device or resource busy$'
	untouched 'a file that nothing can replace'
	ok 'nor is anything left beside' clean
	few
	run in_private 'mount --bind "$3/gone" "$3/gone" && mount -o remount,bind,ro "$3/gone" || exit 99
		"$1" patches apply --patches "$2" "$3"' - "$TIERMEM" "$small" "$tree"
	like 'a folder that is read-only' "$status $err" '^1 .*/gone/old\.c: cannot be written: Read-only file system$'
	untouched 'a folder that is read-only'
else
	skip 'a full file system' 'no mount namespace may be made'
	skip 'a file that nothing can replace' 'no mount namespace may be made'
	skip 'a folder that is read-only' 'no mount namespace may be made'
fi
few
run bash -c '"$1" patches apply --patches "$2" "$3" >/dev/full' - "$TIERMEM" "$small" "$tree"
is 'standard output full' "$status $err" '1 tiermem patches apply: standard output: No space left on device'
is 'all is done all the same' "$(sum_of "$tree")" "$(sum_of "$tmp/both")"

valid_json 'all documents keep to their schemas' "$tmp/documents"
done_testing
