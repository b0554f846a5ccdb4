#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The firmware's tables beside what the kernel made of them: the matrix, domains and nodes, figures that the kernel has
# not, and the problems. The tables themselves are tested in acpi-oracle.t.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

made=$tmp/made
run tests/acpi/build "$made" srat-9 hmat-9 slit-9
exits 0 'the tables are built'

# fresh: the machine with its tables, in $tree
fresh()
{
	rm -rf "$tmp/tree"
	tests/machines/unpack firmware "$tmp/tree" || exit 1
	tree=$tmp/tree
	mkdir -p "$tree/sys/firmware/acpi/tables"
	for table in srat hmat slit; do
		cp "$made/$table-9.bin" "$tree/sys/firmware/acpi/tables/${table^^}"
	done
	tables=$tree/sys/firmware/acpi/tables
	nodes=$tree/sys/devices/system/node
}

# patch FILE OFFSET BYTE [sum]: replaces a byte; with `sum` the checksum is made right again
patch_byte()
{
	/usr/bin/python3 - "$@" <<-'END'
	import sys
	data = bytearray(open(sys.argv[1], "rb").read())
	data[int(sys.argv[2])] = int(sys.argv[3])
	if len(sys.argv) > 4:
	    data[9] = 0
	    data[9] = -sum(data) & 255
	open(sys.argv[1], "wb").write(data)
	END
}

json()
{
	tiermem --root "$tree" topology --json
	jq -r "$1" "$out_file"
}

codes()
{
	json '[.problems[].code] | sort | join(" ")'
}

# Case 10: domain 6 is node 2, in everything that is indexed by domains.
fresh
is 'a sound machine has no problems' "$(codes)" ''
valid_json 'and keeps to the schema'
is 'domains of nodes' "$(json '[.nodes[] | [.id, .domain]] | tostring')" '[[0,0],[1,1],[2,6]]'
is 'the matrix by node' "$(json '[.nodes[].performance[] | select(.source == "hmat") |
	[.initiator, .read_latency_ns, .write_latency_ns, .read_bandwidth_mbps]] | tostring')" \
	'[[0,80,80,200000],[0,250,250,100000],[0,300,300,50000]]'
tiermem --root "$tree" topology --matrix
like 'in the grid, marked where the kernel has it too' "$out" $'\n +0 80\\* 250\\* 300\\*\n'
like 'with the mark explained' "$out" $'\n\\* the kernel\'s best initiators'
tiermem --root "$tree" topology -o node,domain,source --raw --noheadings
is 'columns' "$out" $'0 0 sysfs\n1 1 sysfs\n2 6 sysfs'

# Where sysfs contradicts the tables, that is said and both are shown.
printf '10 21 32\n' >"$nodes/node0/distance"
printf '32 41 10\n' >"$nodes/node2/distance"
is 'distances differ: the translation is in doubt' "$(codes)" 'domains-doubtful'
tiermem --root "$tree" topology --matrix
like 'both are in one cell' "$out" $'\n +0 +10 21 +31\\(32\\)\n'
fresh
echo 90 >"$nodes/node1/access0/initiators/read_latency"
echo 90 >"$nodes/node1/access1/initiators/read_latency"
is 'figures differ' "$(codes)" 'hmat-disagrees'
is 'of that node' "$(json '.problems[].nodes')" 1

# Case 14: a table that the kernel took nothing from.
fresh
rm -r "$nodes"/node?/access?
is 'no figures in sysfs, though HMAT has some' "$(codes)" 'hmat-refused no-performance'
is 'they are shown as what they are' \
	"$(json '[.nodes[] | .performance[] | [.source, .read_latency_ns]] | tostring')" \
	'[["hmat",80],["hmat",250],["hmat",300]]'
tiermem --root "$tree" topology
like 'in the table too' "$out" $'\n +2 unknown +80 .* 50000 +50000 +300 +300 '
patch_byte "$tables/HMAT" 8 3 sum
like 'the likely reason is named' "$(json '.problems[] | select(.code == "hmat-refused").message')" 'revision 3'
rm "$tables/HMAT"
is 'no HMAT at all' "$(codes)" 'hmat-missing no-performance'
is 'as the document says' "$(json '[.firmware.hmat, .firmware.hmat_reason] | tostring')" '[null,"absent"]'

# Case 15: what is sound is shown; each fault is found.
fresh
patch_byte "$tables/HMAT" 9 0
like 'a bad checksum' "$(codes)" '^firmware-fault'
is 'the rest is read' "$(json '[.nodes[].performance[] | select(.source == "hmat")] | length')" 3
tiermem --root "$tree" topology --json
exits 0 'a corrupt table is no failure of topology'
tiermem --root "$tree" topology --firmware
exits 1 'but it is where the table was asked for'
like 'and the finding is shown' "$out" 'error: HMAT at 9: .*\[checksum\]'
like 'below the sound structures' "$out" 'System Locality Latency and Bandwidth Information'
fresh
# The last latency: 0, then 0xffff, then a base unit with which it is beyond 32 bits.
offset=$((40 + 3 * 40 + 52))
patch_byte "$tables/HMAT" $offset 0 sum
patch_byte "$tables/HMAT" $((offset + 1)) 0 sum
echo 0 | tee "$nodes"/node2/access?/initiators/{read,write}_latency >/dev/null
is 'entry 0 is not provided' "$(codes)" 'hmat-entries'
is 'and null' "$(json '[.nodes[2].performance[].read_latency_ns] | tostring')" '[null,null,null]'
patch_byte "$tables/HMAT" $offset 255 sum
patch_byte "$tables/HMAT" $((offset + 1)) 255 sum
like 'entry 0xffff is unreachable' "$(json '.problems[0].message')" '1 unreachable'
fresh
patch_byte "$tables/HMAT" $((40 + 3 * 40 + 24 + 4)) 1 sum
is 'beyond 32 bits the kernel has 0, and we the figure' "$(json '.problems[] | select(.code == "hmat-entries") |
	[.severity, (.message | test("3 too large"))] | tostring')" '["warning",true]'
is 'exactly' "$(json '[.nodes[].performance[] | select(.source == "hmat").read_latency_ns] | tostring')" \
	'[343597464,1073742074,1288490489]'
fresh
patch_byte "$tables/SLIT" 44 11 sum
like 'a SLIT whose diagonal is not 10' "$(json '.problems[] | select(.code == "firmware-fault").message')" 'SLIT: '

# Case 6: revision 1 firmware that makes 7600 ns of 76: shown as it is, with a warning.
if [[ -n ${TIERMEM_FIELD_DATA-} ]]; then
	run "$TIERMEM" topology --acpi "$TIERMEM_FIELD_DATA/acpi/rebuilt-HMAT-dell-rev1-7600ns.bin" --json
	like 'the revision-1 table is read' "$out" '"tiermem.firmware/1"'
	for table in "$TIERMEM_FIELD_DATA"/acpi/*; do
		run "$TIERMEM" topology --acpi "$table" --json
		like "${table##*/}: read or refused in words" "$status" '^[01]$'
		valid_json "${table##*/}: in its schema"
	done
	run "$TIERMEM" topology --acpi "$TIERMEM_FIELD_DATA/acpi" --json
	is 'a folder of tables' "$(jq '.tables | length > 10' "$out_file")" true
fi
fresh
sed -i s/.*/7600/ "$nodes"/node0/access?/initiators/*_latency
patch_byte "$tables/HMAT" $((40 + 3 * 40 + 48)) $((7600 & 255)) sum
patch_byte "$tables/HMAT" $((40 + 3 * 40 + 49)) $((7600 >> 8)) sum
is 'an implausible latency is shown and warned of' "$(codes)" 'far-faster-than-near implausible-performance'
is 'and never rescaled' "$(json '.nodes[0].performance[0].read_latency_ns')" 7600

# Case 27: tables that may not be read, and none at all, are different things.
fresh
chmod 0000 "$tables"/*
chmod 0755 "$tmp"
if [[ $(id -u) == 0 ]]; then
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$TIERMEM" --root "$tree" topology --firmware
else
	tiermem --root "$tree" topology --firmware
fi
exits 1 'tables that may not be read'
like 'say so' "$err" 'permission denied'
rm -rf "$tree/sys/firmware"
tiermem --root "$tree" topology --firmware
exits 3 'no tables'
like 'say that' "$err" 'there is no HMAT'

# Of other files
for bad in "$tmp/nothing" /dev/null "$tmp"; do
	rm -rf "$tmp/empty"
	tiermem topology --acpi "$bad"
	like "--acpi $(basename "$bad"): refused" "$status" '^1$'
done
tiermem topology --acpi
exits 2 '--acpi without a path'
tiermem topology --firmware --tree
exits 2 '--firmware and --tree'

done_testing
