/* SPDX-License-Identifier: GPL-2.0-only */
/* Small firmware tables, made in memory: their lengths and checksums come by themselves. */
#ifndef TESTS_UNIT_ACPI_TABLES_H
#define TESTS_UNIT_ACPI_TABLES_H

#include "tests/unit/tree.h"

#include "lib/acpi/load.h"

struct bytes {
	uint8_t data[4096];
	size_t size;
};

static inline void put(struct bytes *b, size_t size, uint64_t value)
{
	assert_true(size <= 8 && b->size + size <= sizeof(b->data));
	for (size_t i = 0; i < size; i++)
		b->data[b->size++] = (uint8_t)(value >> 8 * i);
}

static inline void put_text(struct bytes *b, const char *text)
{
	assert_true(b->size + strlen(text) <= sizeof(b->data));
	memcpy(b->data + b->size, text, strlen(text));
	b->size += strlen(text);
}

static inline void put_at(struct bytes *b, size_t at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		b->data[at + i] = (uint8_t)(value >> 8 * i);
}

/* Numbers of one size, as many as there are. */
#define put_all(b, size, ...)                                                  \
	do {                                                                   \
		const uint64_t all_[] = { __VA_ARGS__ };                       \
		for (size_t i_ = 0; i_ < sizeof(all_) / sizeof(all_[0]); i_++) \
			put(b, size, all_[i_]);                                \
	} while (0)

static inline bool is_cdat(const struct bytes *b)
{
	return memcmp(b->data + 10, "\0\0\0\0\0\0", 6) == 0;
}

static inline void start(struct bytes *b, enum tm_acpi_signature signature, unsigned revision)
{
	b->size = 0;
	if (signature == TM_ACPI_CDAT) {
		put(b, 4, 0);
		put(b, 1, revision);
		for (int i = 0; i < 11; i++)
			put(b, 1, 0);
		return;
	}
	put_text(b, tm_acpi_signature_name(signature));
	put(b, 4, 0);
	put(b, 1, revision);
	put(b, 1, 0);
	put_text(b, "TIERMMUNITTEST");
	put(b, 4, 1);
	put_text(b, "TMEM");
	put(b, 4, 1);
	if (signature == TM_ACPI_HMAT)
		put(b, 4, 0);
	if (signature == TM_ACPI_SRAT) {
		put(b, 4, 1);
		put(b, 8, 0);
	}
}

static inline void finish(struct bytes *b)
{
	size_t length = is_cdat(b) ? 0 : 4, checksum = is_cdat(b) ? 5 : 9;
	uint8_t sum = 0;

	put_at(b, length, 4, b->size);
	b->data[checksum] = 0;
	for (size_t i = 0; i < b->size; i++)
		sum = (uint8_t)(sum + b->data[i]);
	b->data[checksum] = (uint8_t)-sum;
}

/* One structure of HMAT. The lists follow by put_all. */
static inline void put_locality(struct bytes *b, unsigned hierarchy, unsigned data_type,
				uint64_t base_unit, unsigned initiators, unsigned targets)
{
	put(b, 2, 1);
	put(b, 2, 0);
	put(b, 4, 32 + 4 * initiators + 4 * targets + 2 * initiators * targets);
	put_all(b, 1, hierarchy, data_type, 0, 0);
	put_all(b, 4, initiators, targets, 0);
	put(b, 8, base_unit);
}

static inline void put_domain(struct bytes *b, unsigned flags, unsigned initiator, unsigned memory,
			      uint64_t base, uint64_t length)
{
	put_all(b, 2, 0, 0);
	put(b, 4, 40);
	put_all(b, 2, flags, 0);
	put_all(b, 4, initiator, memory, 0);
	put_all(b, 8, base, length);
}

static inline void put_cache(struct bytes *b, unsigned domain, uint64_t size, uint32_t attributes,
			     unsigned mode, unsigned handles)
{
	put_all(b, 2, 2, 0);
	put_all(b, 4, 32 + 2 * handles, domain, 0);
	put(b, 8, size);
	put(b, 4, attributes);
	put_all(b, 2, mode, handles);
}

/* Structures of SRAT. */
static inline void put_x2apic(struct bytes *b, uint32_t domain, uint32_t id, uint32_t flags)
{
	put_all(b, 1, 2, 24, 0, 0);
	put_all(b, 4, domain, id, flags, 0, 0);
}

static inline void put_memory(struct bytes *b, uint32_t domain, uint64_t base, uint64_t length,
			      uint32_t flags)
{
	put_all(b, 1, 1, 40);
	put(b, 4, domain);
	put(b, 2, 0);
	put_all(b, 8, base, length);
	put_all(b, 4, 0, flags);
	put(b, 8, 0);
}

/* A generic initiator (5) or port (6) with an ACPI handle. */
static inline void put_generic(struct bytes *b, unsigned type, uint32_t domain, const char *hid,
			       uint32_t uid, uint32_t flags)
{
	put_all(b, 1, type, 32, 0, 0);
	put(b, 4, domain);
	put_text(b, hid);
	put_all(b, 4, uid, 0, flags, 0);
}

/* Structures of CEDT. */
static inline void put_bridge(struct bytes *b, uint32_t uid, uint32_t version, uint64_t length)
{
	put_all(b, 2, 0, 32);
	put_all(b, 4, uid, version, 0);
	put_all(b, 8, 0x1000000000 + uid * 0x10000ull, length);
}

static inline void put_window(struct bytes *b, uint64_t base, uint64_t length, unsigned ways,
			      unsigned arithmetic, unsigned granularity, unsigned targets)
{
	put_all(b, 2, 1, 36 + 4 * targets);
	put(b, 4, 0);
	put_all(b, 8, base, length);
	put_all(b, 1, ways, arithmetic, 0, 0);
	put(b, 4, granularity);
	put_all(b, 2, 6, 1);
}

/* Structures of CDAT. */
static inline void put_dsmas(struct bytes *b, unsigned handle, unsigned flags, uint64_t base,
			     uint64_t length)
{
	put_all(b, 2, 0, 24);
	put_all(b, 1, handle, flags, 0, 0);
	put_all(b, 8, base, length);
}

static inline void put_dslbis(struct bytes *b, unsigned handle, unsigned flags, unsigned data_type,
			      uint64_t base_unit, uint16_t entry)
{
	put_all(b, 2, 1, 24);
	put_all(b, 1, handle, flags, data_type, 0);
	put(b, 8, base_unit);
	put_all(b, 2, entry, 0, 0, 0);
}

/*
 * A table on its own, unchecked. What the table is for must not outlive the call of release_one.
 */
struct one {
	struct tm_acpi_table table;
	struct tm_acpi_findings findings;
};

static inline void parse_one(struct one *one, enum tm_acpi_signature signature,
			     const struct bytes *b)
{
	memset(one, 0, sizeof(*one));
	assert_int_equal(tm_acpi_table_parse(&one->table, signature, "unit", b->data, b->size,
					     &one->findings, NULL),
			 0);
}

static inline void release_one(struct one *one)
{
	tm_acpi_findings_release(&one->findings);
	tm_acpi_table_release(&one->table);
}

/* The finding of that rule at that place; NULL: none. */
static inline const struct tm_acpi_finding *found(const struct tm_acpi_findings *findings,
						  enum tm_acpi_rule rule, size_t offset)
{
	for (size_t i = 0; i < findings->nr; i++)
		if (findings->list[i].rule == rule && findings->list[i].offset == offset)
			return &findings->list[i];
	return NULL;
}

/* One table of each kind with something of everything; for tests that damage them. */
static inline void sample_hmat(struct bytes *b, unsigned revision)
{
	start(b, TM_ACPI_HMAT, revision);
	put_domain(b, 1, 0, 0, 0, 0);
	put_domain(b, 0, 0, 1, 0, 0);
	put_locality(b, 0, 1, 10, 2, 3);
	put_all(b, 4, 0, 1, 0, 1, 2);
	put_all(b, 2, 8000, 25000, 0xffff, 0, 50, 60000);
	put_locality(b, 1, 3, 1, 1, 2);
	put_all(b, 4, 0, 0, 1);
	put_all(b, 2, 40000, 9);
	put_cache(b, 1, 96ull << 30, 0x401111, 0, 2);
	put_all(b, 2, 0x1234, 0x5678);
	finish(b);
}

static inline void sample_srat(struct bytes *b, unsigned revision)
{
	start(b, TM_ACPI_SRAT, revision);
	put_all(b, 1, 0, 16, 1, 7);
	put(b, 4, 1);
	put_all(b, 1, 0, 0, 0, 0);
	put(b, 4, 0);
	put_x2apic(b, 0, 300, 1);
	put_memory(b, 0, 0, 1ull << 30, 1);
	put_memory(b, 1, 1ull << 30, 1ull << 30, 7);
	put_all(b, 1, 3, 18);
	put_all(b, 4, 1, 66, 1, 0);
	put_all(b, 1, 4, 12);
	put(b, 4, 1);
	put(b, 2, 0);
	put(b, 4, 17);
	put_generic(b, 5, 2, "ABCD0001", 3, 1);
	put_all(b, 1, 5, 32, 0, 1);
	put(b, 4, 3);
	put_all(b, 1, 1, 0, 0x3f, 0xf6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	put_all(b, 4, 3, 0);
	put_generic(b, 6, 4, "ACPI0016", 12, 1);
	put_all(b, 1, 7, 20, 0, 0);
	put_all(b, 4, 1, 16, 1, 0);
	finish(b);
}

static inline void sample_slit(struct bytes *b)
{
	start(b, TM_ACPI_SLIT, 1);
	put(b, 8, 3);
	put_all(b, 1, 10, 21, 240, 21, 10, 31, 255, 31, 10);
	finish(b);
}

static inline void sample_cedt(struct bytes *b)
{
	start(b, TM_ACPI_CEDT, 1);
	put_bridge(b, 12, 1, 0x10000);
	put_bridge(b, 13, 0, 0x2000);
	put_window(b, 16ull << 30, 4ull << 30, 0, 0, 0, 1);
	put(b, 4, 12);
	put_window(b, 20ull << 30, 3ull << 30, 9, 1, 2, 6);
	put_all(b, 4, 12, 13, 12, 13, 12, 13);
	put_all(b, 2, 2, 16, 0);
	put_all(b, 1, 2, 1);
	put(b, 8, 0x2020900);
	put_all(b, 2, 3, 20, 1, 0x3ff6);
	put(b, 8, 0xfe000000);
	put_all(b, 1, 1, 0, 0, 0);
	put_all(b, 2, 4, 8, 3, 0);
	finish(b);
}

static inline void sample_cdat(struct bytes *b)
{
	start(b, TM_ACPI_CDAT, 2);
	put_dsmas(b, 0, 0, 0, 1ull << 28);
	put_dsmas(b, 1, 4, 1ull << 28, 1ull << 28);
	put_dslbis(b, 0, 0, 1, 10000, 15);
	put_dslbis(b, 0, 0, 2, 10000, 25);
	put_dslbis(b, 0, 0, 3, 1000, 16);
	put_dslbis(b, 1, 0, 0, 1, 0xffff);
	put_all(b, 2, 2, 20);
	put_all(b, 1, 1, 0, 0, 0);
	put(b, 8, 1 << 24);
	put(b, 4, 0x402211);
	put_all(b, 2, 3, 8);
	put_all(b, 1, 1, 0, 0, 0);
	put_all(b, 2, 4, 24);
	put_all(b, 1, 1, 1, 0, 0);
	put_all(b, 8, 0, 1ull << 20);
	put_all(b, 2, 5, 32);
	put_all(b, 1, 1, 0, 0, 0);
	put(b, 8, 100);
	put_all(b, 2, 0x100, 1, 250, 0, 1, 0xffff, 0, 0);
	finish(b);
}

#endif
