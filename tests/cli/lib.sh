# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of the command line: source it first, say done_testing last. Results are printed in TAP, for prove.
#
#	run CMD...		runs it: $status, $out and $err, and exactly as printed $out_file and $err_file
#	tiermem ARG...		runs the program under test
#	demo ARG...		runs tests/cli/demo.c
#	traced WHAT CMD...	CMD under strace, for `run`: its calls of kinds WHAT go to $tmp/strace
#
#	ok NAME CMD...		passes if the command succeeds
#	is NAME GOT WANTED
#	like NAME GOT REGEX	bash's regular expressions
#	unlike NAME GOT REGEX
#	exits CODE NAME		of the last run
#	golden NAME		the last run printed what golden/NAME.out and .err hold, and exited with the code at the end
#				of .err; UPDATE_GOLDEN=1 rewrites these. The time and this test's folder do not count
#	valid_json NAME [FILE]	each document in it (or in the last run's output) keeps to its schema; done_testing tells
#	skip NAME REASON
#	skip_all REASON		before any other test
#
#	machine NAME		prints a folder with the captured machine tests/machines/NAME
#	$tmp			a folder of this test's own, removed at its end
#	$top			the top of the source tree, which is also the current folder

set -u

top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
cd "$top" || exit 1
: "${TIERMEM:=$top/tiermem}"
: "${TIERMEM_DEMO:=$top/build/tests/demo}"
for program in "$TIERMEM" "$TIERMEM_DEMO"; do
	[[ -x $program ]] && continue
	printf 'Bail out! %s is not built\n' "$program"
	exit 1
done
golden_folder=$top/tests/cli/golden
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tiermem-test.XXXXXX") || exit 1
trap 'rm -rf -- "$tmp"' EXIT
mkdir "$tmp/home" "$tmp/.documents"

# The same everywhere, whoever runs it.
export LC_ALL=C TZ=UTC HOME=$tmp/home TERM=dumb COLUMNS=80
unset LANG LANGUAGE NO_COLOR LINES CDPATH GREP_OPTIONS
# A sanitizer's finding must not look like a failure that the test expects.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}exitcode=99
export LSAN_OPTIONS=${LSAN_OPTIONS:+$LSAN_OPTIONS:}exitcode=99
export UBSAN_OPTIONS=${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}halt_on_error=1:print_stacktrace=1:exitcode=99

tests=0
failures=0
to_validate=()
status=0
out=
err=
out_file=$tmp/.out
err_file=$tmp/.err

# Lines of explanation, which prove shows.
diag()
{
	printf '%s\n' "$*" | sed 's/^/# /' >&2
}

pass()
{
	printf 'ok %d - %s\n' "$((++tests))" "${1//$'\n'/ }"
}

fail()
{
	printf 'not ok %d - %s\n' "$((++tests))" "${1//$'\n'/ }"
	((++failures))
	diag "failed: $1 (${0##*/})"
}

# What the last run did, below a failure that is about it.
diag_run()
{
	diag "exit code $status"
	diag "stdout: $(head -c 2000 "$out_file")"
	diag "stderr: $(head -c 2000 "$err_file")"
}

# One start of Python for all that valid_json has kept.
validate_all()
{
	local numbers=() faults number bad=named

	((${#to_validate[@]})) || return 0
	mapfile -t numbers < <(seq ${#to_validate[@]})
	faults=$(cd "$tmp/.documents" && "$top/tests/validate" "${numbers[@]}" 2>&1) || {
		diag "$faults"
		# Without names, or cut short, it tells of none that it is sound.
		[[ $faults == *'validate: '[0-9]* && $faults != *Traceback* ]] || bad=all
	}
	for number in "${numbers[@]}"; do
		if [[ $bad == all || $'\n'$faults == *$'\n'"validate: $number: "* ]]; then
			fail "${to_validate[number - 1]}"
			diag "document $number"
		else
			pass "${to_validate[number - 1]}"
		fi
	done
}

done_testing()
{
	validate_all
	printf '1..%d\n' "$tests"
	exit $((failures > 0))
}

skip_all()
{
	printf '1..0 # SKIP %s\n' "$1"
	exit 0
}

skip()
{
	printf 'ok %d - %s # SKIP %s\n' "$((++tests))" "$1" "$2"
}

run()
{
	"$@" >"$out_file" 2>"$err_file"
	status=$?
	# A NUL byte is nothing that a shell variable holds.
	# shellcheck disable=SC2034
	out=$(tr '\0' '?' <"$out_file")
	# shellcheck disable=SC2034
	err=$(tr '\0' '?' <"$err_file")
}

# LeakSanitizer traces the process itself, which two cannot do at once.
traced()
{
	local kinds=$1

	shift
	env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -f -o "$tmp/strace" -e "trace=$kinds" "$@"
}

tiermem()
{
	run "$TIERMEM" "$@"
}

demo()
{
	run "$TIERMEM_DEMO" "$@"
}

ok()
{
	local name=$1

	shift
	if "$@"; then
		pass "$name"
	else
		fail "$name"
		diag "command: $*"
	fi
}

is()
{
	if [[ $2 == "$3" ]]; then
		pass "$1"
	else
		fail "$1"
		diag "got:    $2"
		diag "wanted: $3"
	fi
}

like()
{
	if [[ $2 =~ $3 ]]; then
		pass "$1"
	else
		fail "$1"
		diag "got:         $2"
		diag "wanted like: $3"
	fi
}

unlike()
{
	if [[ ! $2 =~ $3 ]]; then
		pass "$1"
	else
		fail "$1"
		diag "got:           $2"
		diag "wanted unlike: $3"
	fi
}

exits()
{
	if [[ $status == "$1" ]]; then
		pass "$2"
	else
		fail "$2"
		diag "wanted exit code $1"
		diag_run
	fi
}

# What differs from run to run is put into words.
steady()
{
	sed -e "s|$tmp|TMP|g" \
		-e 's/\("time":[[:space:]]*\)"[0-9T:Z-]*"/\1"TIME"/' \
		-e 's/\("tiermem":[[:space:]]*\)"[^"]*"/\1"VERSION"/' "$1"
}

golden()
{
	local base=$golden_folder/$1 same=1

	steady "$out_file" >"$tmp/.golden.out"
	{
		steady "$err_file"
		printf 'exit code %d\n' "$status"
	} >"$tmp/.golden.err"
	if [[ -n ${UPDATE_GOLDEN-} ]]; then
		mkdir -p "${base%/*}"
		cp "$tmp/.golden.out" "$base.out"
		cp "$tmp/.golden.err" "$base.err"
	fi
	diff -u "$base.out" "$tmp/.golden.out" >"$tmp/.diff" 2>&1 || same=0
	diff -u "$base.err" "$tmp/.golden.err" >>"$tmp/.diff" 2>&1 || same=0
	if ((same)); then
		pass "golden output $1"
	else
		fail "golden output $1"
		diag "$(head -n 60 "$tmp/.diff")"
	fi
}

valid_json()
{
	to_validate+=("$1")
	cp -- "${2-$out_file}" "$tmp/.documents/${#to_validate[@]}"
}

machine()
{
	local folder=$tmp/machines/${1##*/}

	if [[ ! -d $folder ]]; then
		mkdir -p "$tmp/machines"
		"$top/tests/machines/unpack" "$top/tests/machines/$1/manifest" "$folder" >&2 || return
	fi
	printf '%s\n' "$folder"
}
