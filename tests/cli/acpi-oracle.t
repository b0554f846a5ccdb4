#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Firmware tables: what lib/acpi reads is what iasl and a second reading of our own read, field by field; and each
# faulty table of tests/acpi/faults has just the findings that stand there.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

: "${TIERMEM_ACPI_DUMP:=${TIERMEM_DEMO%/*}/acpi-dump}"
[[ -x $TIERMEM_ACPI_DUMP ]] || skip_all "$TIERMEM_ACPI_DUMP is not built"
command -v iasl >/dev/null || skip_all 'iasl is not installed'
compare=tests/acpi/compare
made=$tmp/tables

dump()
{
	run "$TIERMEM_ACPI_DUMP" "$1"
	cp "$out_file" "$2"
}

# disassemble BINARY: BINARY.dsl; iasl hangs in some tables that it does not like
disassemble()
{
	cp "$1" "$tmp/disassembled.bin"
	timeout 20 iasl -d -p "$tmp/disassembled" "$tmp/disassembled.bin" >"$tmp/iasl.log" 2>&1 &&
		mv "$tmp/disassembled.dsl" "$1.dsl"
}

equal()
{
	local name=$1

	shift
	run "$compare" "$@"
	like "$name" "$status $out" '^0 [1-9][0-9]* fields are equal$'
}

# later NAME ARG...: as equal does, but all at once, by compare_all
later()
{
	printf '%s\n' "$*" >>"$tmp/list"
}

compare_all()
{
	local line

	run "$compare" list <"$tmp/list"
	is 'all were compared' "$(wc -l <"$out_file")" "$(wc -l <"$tmp/list")"
	while read -r line; do
		like "${line%%:*}" "$line" '^[^:]+: [1-9][0-9]* fields are equal$'
	done <"$out_file"
}

# check_iasl NAME BINARY: where iasl knows such tables
check_iasl()
{
	case $(head -c 4 "$2" | tr -d '\0') in
	HMAT | SRAT | SLIT) ;;
	*) return ;;
	esac
	dump "$2" "$2.dump"
	if disassemble "$2"; then
		later "iasl/$1" iasl "$2.dump" "$2.dsl"
	else
		fail "iasl/$1"
		diag "$(cat "$tmp/iasl.log")"
	fi
}

run tests/acpi/build "$made"
exits 0 'the tables are built'

for binary in "$made"/*.bin; do
	name=${binary##*/}
	name=${name%.bin}
	case $name in asl-*) signature=$(head -c 4 "$binary") ;; *) signature=${name%%-*} ;; esac
	# A name that tells what it is, for those that are so damaged that nothing else does.
	mkdir "$made/$name"
	cp "$binary" "$made/$name/$signature.dat"
	if [[ -e $made/$name.with ]]; then
		while read -r other; do
			cp "$made/$other.bin" "$made/$name/with-$other"
		done <"$made/$name.with"
	fi
	run "$TIERMEM_ACPI_DUMP" "$made/$name"
	is "$name: findings" "$status $(sed -n 's/^finding [^ ]* \([0-9]*\) \([a-z]*\) .*/\2 \1/p' "$out_file" | sort)" \
		"0 $(sort "$made/$name.expect" 2>/dev/null)"
	[[ -e $made/$name.not-iasl ]] || check_iasl "$name" "$binary"
done

# The sound ones.
for source in tests/acpi/*.hex tests/acpi/*.asl; do
	name=${source##*/}
	name=${name%.*}
	dump "$made/$name.bin" "$made/$name.bin.dump"
	later "second/$name" second "$made/$name.bin.dump" "$made/$name.bin"
done

# Nodes, where CXL windows get some too.
for cedt in cedt-1 cedt-2; do
	mkdir "$tmp/nodes-$cedt"
	cp "$made/srat-3.bin" "$made/$cedt.bin" "$tmp/nodes-$cedt/"
	dump "$tmp/nodes-$cedt" "$tmp/dump"
	equal "nodes of srat-3 with $cedt" second "$tmp/dump" "$made/srat-3.bin" "$made/$cedt.bin"
	is "how many $cedt adds" "$(grep -c '^node .* 16$' "$tmp/dump")" "$([[ $cedt == cedt-1 ]] && echo 8 || echo 7)"
done

# Tables of machines in the field, which are not ours to keep.
if [[ -d ${TIERMEM_FIELD_DATA-}/acpi ]]; then
	mkdir "$tmp/field"
	for binary in "$TIERMEM_FIELD_DATA"/acpi/*.bin; do
		name=${binary##*/}
		cp "$binary" "$tmp/field/$name"
		check_iasl "field/$name" "$tmp/field/$name"
		dump "$tmp/field/$name" "$tmp/field/$name.dump"
		later "second/field/$name" second "$tmp/field/$name.dump" "$tmp/field/$name"
	done
else
	skip 'tables of machines in the field' 'TIERMEM_FIELD_DATA is not set'
fi

compare_all

# What acpidump prints is read as the binary is.
{
	printf 'FACS @ 0x0000000000000000\n    0000: 46 41 43 53 08 00 00 00  FACS....\n\n'
	printf 'HMAT @ 0x0000000000000000\n'
	od -A x -t x1 -v "$made/hmat-2.bin" | sed -n 's/^..\([0-9a-f]\{4\}\) \(.*\)$/    \1: \2  ................/p'
	printf '\n'
} >"$tmp/acpidump"
dump "$tmp/acpidump" "$tmp/dump"
equal 'acpidump text' second "$tmp/dump" "$made/hmat-2.bin"
is 'its origin names the file' "$(grep '^table ' "$tmp/dump")" "table HMAT $tmp/acpidump: hmat.dat"
sed '/^    0010/s/: .*/: nothing/' "$tmp/acpidump" >"$tmp/bad-text"
run "$TIERMEM_ACPI_DUMP" "$tmp/bad-text"
unlike 'damaged text is no crash' "$status" '^(99|1[0-9][0-9])$'
is 'nothing is left of it' "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name '.tiermem-*' -newer "$tmp/acpidump" -user "$EUID")" ''

# A comparison is none unless it sees what differs.
dump "$made/hmat-2.bin" "$tmp/dump"
sees()
{
	run "$compare" "$2" "$tmp/changed" "$3"
	like "sees $1 ($2)" "$status $out" "^1 .*$4"
}
for pair in "iasl $made/hmat-2.bin.dsl" "second $made/hmat-2.bin"; do
	read -r mode other <<<"$pair"
	sed '/ base_unit /{s/0a00000000000000 10/0b00000000000000 11/}' "$tmp/dump" >"$tmp/changed"
	sees 'another value' "$mode" "$other" '184: '
	sed '0,/ targets /{/ targets /d}' "$tmp/dump" >"$tmp/changed"
	sees 'a field that is missing' "$mode" "$other" '200: '
	sed 's/ memory_domain / initiator_domain /' "$tmp/dump" >"$tmp/changed"
	sees 'another name' "$mode" "$other" '56: '
	{
		sed '/^figure/,$d' "$tmp/dump"
		printf 'field 9999 1 0 0 extra 00 0\n'
		sed -n '/^figure/,$p' "$tmp/dump"
	} >"$tmp/changed"
	sees 'a field too many' "$mode" "$other" '9999: '
	sed '/ hierarchy /s/ 0 (/ 1 (/' "$tmp/dump" >"$tmp/changed"
	sees 'a number that its bytes do not have' "$mode" "$other" '168 hierarchy: '
done
sed '0,/^figure/s/^figure 0 1 0 0 80 /figure 0 1 0 0 81 /' "$tmp/dump" >"$tmp/changed"
sees 'another figure' second "$made/hmat-2.bin" figures
dump "$made/srat-3.bin" "$tmp/dump"
sed '0,/^node/s/^node 2 2/node 2 3/' "$tmp/dump" >"$tmp/changed"
sees 'another node' second "$made/srat-3.bin" figures
sed '/(enabled)/s/ (enabled)/ (hot-pluggable)/' "$tmp/dump" >"$tmp/changed"
sees 'another bit' iasl "$made/srat-3.bin.dsl" Enabled

done_testing
