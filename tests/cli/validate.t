#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The check of JSON documents finds what it is for.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

good='{"schema":"tiermem.error/1","tiermem":"1","command":null,"exit_code":1,"errno":"ENOENT","message":"m","hint":null}'

# accepts NAME TEXT, and refuses NAME WHY TEXT
accepts()
{
	printf '%s' "$2" >"$tmp/document"
	run tests/validate "$tmp/document"
	is "accepts $1" "$status $out$err" '0 '
}

refuses()
{
	printf '%s' "$3" >"$tmp/document"
	run tests/validate "$tmp/document"
	like "refuses $1" "$status $err" "^1 .*$2"
}

accepts 'a good document' "$good"
accepts 'several' "$good"$'\n'"$good"
refuses 'nothing' 'no document' ''
refuses 'no JSON' 'Expecting value' 'x'
refuses 'half a document' 'Unterminated string' "${good%hint*}"
refuses 'a second that is wrong' "unknown schema" "$good"$'\n{"schema":"tiermem.nothing/1"}'
refuses 'what is no object' 'no "schema"' '[]'
refuses 'no schema' 'no "schema"' '{}'
refuses 'another version' "unknown schema 'tiermem.error/2'" "${good/error\/1/error\/2}"
refuses 'a path as schema' 'unknown schema' '{"schema":"../schemas/tiermem.error/1"}'
refuses 'a schema that is not first' 'not the first key' '{"tiermem":"1","schema":"tiermem.error/1"}'
refuses 'a missing key' "'hint' is a required property" "${good/,\"hint\":null/}"
refuses 'an unknown key' "'more' was unexpected" "${good/%\}/,\"more\":1\}}"
refuses 'another type' "exit_code: '1' is not of type 'integer'" "${good/:1,/:\"1\",}"
refuses 'a key given twice' "'hint' occurs twice" "${good/%\}/,\"hint\":null\}}"
refuses 'NaN' 'NaN is not JSON' "${good/:1,/:NaN,}"
refuses 'what is not UTF-8' "can't decode byte" "${good/\"m\"/$'"\xff"'}"
run tests/validate "$tmp/nothing"
like 'refuses a file that is not there' "$status $err" '^1 .*No such file'
printf '%s' "$good" >"$tmp/document"
run bash -c 'tests/validate - <"$1"' - "$tmp/document"
is 'reads standard input' "$status $out$err" '0 '

run tests/validate --schemas
is 'schemas are sound' "$status $out$err" '0 '

done_testing
