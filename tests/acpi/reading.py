# SPDX-License-Identifier: GPL-2.0-only
"""A second reading of firmware tables, for comparison with the program's own.

It shares nothing with that: the layouts below are written out in the order of the bytes, as the ACPI 6.5, CXL 3.1 and
CDAT 1.04 specifications list them, and the rest is arithmetic. Sound tables only: what is wrong raises Malformed.
"""

import re
import struct


class Malformed(Exception):
    pass


# "name/bytes", or "name/bytes{part:shift:bits,...}"; "name/bytes[count]" and "name/bytes*" are lists.
STANDARD = ("signature/4 length_bytes/4 revision/1 checksum/1 oem_id/6 oem_table_id/8 oem_revision/4 creator_id/4 "
            "creator_revision/4 ")
HIERARCHY = "/1{hierarchy:0:4,flags:4:4} "
CACHE = "/4{total_levels:0:4,level:4:4,associativity:8:4,write_policy:12:4,line_size_bytes:16:16} "
WIDE = "type/2 header_reserved/2 length_bytes/4 "
NARROW = "type/1 length_bytes/1 "
CXL = "type/1 header_reserved/1 length_bytes/2 "
ACPI_HANDLE = "hid/8 uid/4 reserved2/4 "
PCI_HANDLE = "pci_segment/2 pci_bus/1 -/1{pci_device:3:5,pci_function:0:3} reserved2/12 "
OTHER_HANDLE = "handle/16 "

HEADERS = {
    "HMAT": STANDARD + "reserved/4",
    "SRAT": STANDARD + "table_revision/4 reserved/8",
    "SLIT": STANDARD,
    "CEDT": STANDARD,
    "CDAT": "length_bytes/4 revision/1 checksum/1 reserved/6 sequence/4",
}

# Bytes of a structure's type and length: (size of the type, offset and size of the length).
BEGINNINGS = {"HMAT": (2, 4, 4), "SRAT": (1, 1, 1), "CEDT": (1, 2, 2), "CDAT": (1, 2, 2)}


def layout(table, revision, kind, data):
    if table == "HMAT":
        old = revision < 2
        return {
            0: WIDE + "flags/2 reserved1/2 initiator_domain/4 memory_domain/4 reserved2/4 "
               + ("base_address/8 range_bytes/8" if old else "reserved3/8 reserved4/8"),
            1: WIDE + "-" + HIERARCHY + "data_type/1 "
               + ("reserved1/2 " if old else "min_transfer_size/1 reserved1/1 ")
               + "initiator_count/4 target_count/4 reserved2/4 base_unit/8 initiators/4[initiator_count] "
                 "targets/4[target_count] entries/2[initiator_count*target_count]",
            2: WIDE + "memory_domain/4 reserved1/4 size_bytes/8 -" + CACHE
               + ("reserved2/2 " if old else "address_mode/2 ") + "smbios_count/2 smbios_handles/2[smbios_count]",
        }.get(kind)
    if table == "SRAT":
        old = revision < 2
        handle = {0: ACPI_HANDLE, 1: PCI_HANDLE}.get(data[3] if len(data) > 3 else 2, OTHER_HANDLE)
        generic = NARROW + "reserved1/1 handle_type/1 domain/4 " + handle + "flags/4 reserved3/4"
        return {
            0: NARROW + "domain_low/1 apic_id/1 flags/4 sapic_eid/1 "
               + ("reserved1/3 " if old else "domain_high/3 ") + "clock_domain/4",
            1: NARROW + ("domain/1 reserved1/5 " if old else "domain/4 reserved1/2 ")
               + "base_address/8 range_bytes/8 reserved2/4 flags/4 reserved3/8",
            2: NARROW + "reserved1/2 domain/4 apic_id/4 flags/4 clock_domain/4 reserved2/4",
            3: NARROW + "domain/4 processor_uid/4 flags/4 clock_domain/4",
            4: NARROW + "domain/4 reserved1/2 its_id/4",
            5: generic,
            6: generic,
            7: NARROW + "reserved1/2 domain/4 processor_uid/4 flags/4 clock_domain/4",
        }.get(kind)
    if table == "CEDT":
        return {
            0: CXL + "uid/4 cxl_version/4 reserved1/4 base_address/8 range_bytes/8",
            1: CXL + "reserved1/4 base_address/8 range_bytes/8 interleave_ways/1 interleave_arithmetic/1 reserved2/2 "
                     "interleave_granularity/4 restrictions/2 qtg_id/2 targets/4*",
            2: CXL + "reserved1/2 interleave_granularity/1 map_count/1 maps/8[map_count]",
            3: CXL + "pci_segment/2 -/2{pci_bus:8:8,pci_device:3:5,pci_function:0:3} base_address/8"
               + (" protocol/1 reserved1/3" if len(data) > 16 else ""),
            4: CXL + "capabilities/2 reserved1/2",
        }.get(kind)
    return {
        0: CXL + "handle/1 flags/1 reserved1/2 base_address/8 range_bytes/8",
        1: CXL + "handle/1 -" + HIERARCHY + "data_type/1 reserved1/1 base_unit/8 entries/2[3] reserved2/2",
        2: CXL + "handle/1 reserved1/3 size_bytes/8 -" + CACHE,
        3: CXL + "flags/1 handle/1 reserved1/2",
        4: CXL + "handle/1 efi_type/1 reserved1/2 offset_bytes/8 range_bytes/8",
        5: CXL + "data_type/1 reserved1/3 base_unit/8 pairs/8*",
    }.get(kind)


def number(data):
    return int.from_bytes(data, "little")


class Fields:
    """What a layout makes of a piece of a table: rows of (offset, size, shift, bits, name, number), and names."""

    def __init__(self, data, base, text):
        self.data, self.base, self.at = data, base, 0
        self.rows, self.names = [], {}
        for word in text.split():
            self._word(*re.fullmatch(r"([\w-]+)/(\d+)(\{.*\})?(\*|\[.*\])?", word).groups())

    def _take(self, size):
        if self.at + size > len(self.data):
            raise Malformed("at %d" % (self.base + self.at))
        self.at += size
        return self.data[self.at - size:self.at]

    def _row(self, size, shift, bits, name, value):
        self.rows.append((self.base + self.at - size, size, shift, bits, name, value))

    def _word(self, name, size, parts, many):
        size = int(size)
        if many:
            self.names[name] = self._list(name, size, many)
            return
        whole = number(self._take(size))
        for part in (parts or "")[1:-1].split(","):
            if part:
                key, shift, bits = part.split(":")
                value = whole >> int(shift) & (1 << int(bits)) - 1
                self._row(size, int(shift), int(bits), key, value)
                self.names[key] = value
        if not parts:
            self._row(size, 0, 0, name, whole)
            self.names[name] = whole

    def _list(self, name, size, many):
        if many == "*":
            count = (len(self.data) - self.at) // size
        else:
            count = 1
            for factor in many[1:-1].split("*"):
                count *= int(factor) if factor.isdigit() else self.names[factor]
        values = []
        for _ in range(count):
            if name == "pairs":
                inner = Fields(self._take(8), self.base + self.at, "x_port/2 y_port/2 entry/2 reserved/2")
                # The piece was taken already: its rows begin eight bytes before.
                self.rows += [(row[0] - 8,) + row[1:] for row in inner.rows]
                values.append(inner.names)
            else:
                values.append(number(self._take(size)))
                self._row(size, 0, 0, name, values[-1])
        return values


def identify(data):
    name = data[:4].decode("latin-1")
    return name if name in HEADERS else "CDAT"


class Table:
    def __init__(self, data):
        self.name = identify(data)
        self.header = Fields(data, 0, HEADERS[self.name])
        self.revision = self.header.names["revision"]
        self.entries = []       # (type, Fields), None for a type that is not known
        if self.header.names["length_bytes"] != len(data):
            raise Malformed("length")
        if self.name == "SLIT":
            self.entries.append((0, Fields(data[36:], 36, "localities/8 distances/1[localities*localities]")))
        else:
            self._cut(data)

    def _cut(self, data):
        type_size, length_at, length_size = BEGINNINGS[self.name]
        at = self.header.at
        while at < len(data):
            kind = number(data[at:at + type_size])
            length = number(data[at + length_at:at + length_at + length_size])
            if length < length_at + length_size or at + length > len(data):
                raise Malformed("structure at %d" % at)
            text = layout(self.name, self.revision, kind, data[at:at + length])
            self.entries.append((kind, Fields(data[at:at + length], at, text) if text else None))
            at += length

    def rows(self):
        rows = list(self.header.rows)
        for _, fields in self.entries:
            rows += fields.rows if fields else []
        return rows


# ---- what the figures come to

def figure(revision, data_type, entry, unit):
    """(value or None, code), the codes as enum tm_hmat_why has them."""
    if data_type > 5:
        return "bad", 5
    if entry == 0xffff:
        return "none", 2
    product = entry * unit
    if product == 0 or (revision < 2 and product < 10):
        return "none", 1
    if product >= 1 << 64:
        return "bad", 4
    divisor = 10 if revision < 2 else 1000 if data_type < 3 else 1
    return str(-(-product // divisor)), 3 if product >= 1 << 32 else 0


def typed(table):
    """The lines that acpi-dump prints after a table's fields."""
    lines = []
    for kind, fields in table.entries:
        if not fields:
            continue
        names = fields.names
        if (table.name, kind) == ("HMAT", 1):
            entries = iter(names["entries"])
            for initiator in names["initiators"]:
                for target in names["targets"]:
                    lines.append("figure %d %d %d %d %s %d" % (
                        names["hierarchy"], names["data_type"], initiator, target,
                        *figure(table.revision, names["data_type"], next(entries), names["base_unit"])))
        elif (table.name, kind) == ("CDAT", 1):
            lines.append("perf %d %d %d %s %d" % (
                names["handle"], names["hierarchy"], names["data_type"],
                *figure(2, names["data_type"], names["entries"][0], names["base_unit"])))
        elif (table.name, kind) == ("CDAT", 5):
            for pair in names["pairs"]:
                lines.append("switch %d %d %d %s %d" % (
                    names["data_type"], pair["x_port"], pair["y_port"],
                    *figure(2, names["data_type"], pair["entry"], names["base_unit"])))
        elif (table.name, kind) == ("CEDT", 1):
            ways = {0: 1, 1: 2, 2: 4, 3: 8, 4: 16, 8: 3, 9: 6, 10: 12}.get(names["interleave_ways"], 0)
            granularity = names["interleave_granularity"]
            lines.append("window %d %d %d %d" % (
                names["base_address"], names["range_bytes"], ways, 256 << granularity if granularity < 7 else 0))
    return lines


# ---- which node a proximity domain is

def _affinity(srat):
    """(kind of structure, domain, enabled, base, length) in the table's order."""
    for kind, fields in srat.entries:
        if not fields or kind == 4:
            continue
        names = fields.names
        domain = names.get("domain", names.get("domain_low", 0) + (names.get("domain_high", 0) << 8))
        yield kind, domain, names["flags"] & 1, names.get("base_address"), names.get("range_bytes")


def nodes(srat, cedt):
    """acpi-dump's "node" lines."""
    order, has = [], {}

    def meet(domain, bit):
        has[domain] = has.get(domain, 0) | bit
        if domain not in order:
            order.append(domain)

    entries = list(_affinity(srat))
    for kind, domain, enabled, _, _ in entries:
        if enabled and kind in (0, 2, 3, 5, 7):
            meet(domain, 4 if kind == 5 else 1)
    for kind, domain, enabled, _, _ in entries:
        if enabled and kind == 1:
            meet(domain, 2)
    memory = [(base, base + length) for kind, _, enabled, base, length in entries if kind == 1 and enabled and length]
    made_up = max(order) + 1 if order else 0
    for kind, fields in cedt.entries if cedt else []:
        if kind != 1 or not fields.names["range_bytes"]:
            continue
        base = fields.names["base_address"]
        end = base + fields.names["range_bytes"]
        if not any(first < end and base < last for first, last in memory):
            meet(made_up, 16)
            made_up += 1
    for kind, domain, enabled, _, _ in entries:
        if enabled and kind == 6:
            meet(domain, 8)
    return ["node %d %d %d" % (domain, order.index(domain), has[domain]) for domain in sorted(order)]


def checksum(data):
    return -sum(data) & 0xff


def set_checksum(data, at):
    data[at] = 0
    data[at] = checksum(data)


def set_length(data, at):
    struct.pack_into("<I", data, at, len(data))
