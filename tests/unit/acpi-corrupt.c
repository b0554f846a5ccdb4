/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * 500 corruptions of each table: whatever is done to it, reading it ends and stays inside. The
 * table is in memory of its own exact size, so that a sanitizer or valgrind sees a byte too far.
 * The damage is the same in every run.
 */
#include "tests/unit/acpi-tables.h"

#include "tests/acpi/exercise.h"

#define CORRUPTIONS 500

static uint64_t seed;

static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Where a structure says how long it is, or how much it has: the worst places to be wrong. */
static const size_t lengths[TM_ACPI_NR_SIGNATURES][8] = {
	[TM_ACPI_HMAT] = { 4, 8, 44, 84, 124, 132, 136, 144 },
	[TM_ACPI_SRAT] = { 4, 8, 49, 65, 89, 129, 169, 187 },
	[TM_ACPI_SLIT] = { 4, 8, 36, 37, 38, 40, 42, 43 },
	[TM_ACPI_CEDT] = { 4, 8, 38, 70, 102, 124, 142, 210 },
	[TM_ACPI_CDAT] = { 0, 4, 18, 42, 66, 70, 210, 238 },
};

static void damage(struct bytes *b, enum tm_acpi_signature signature, unsigned round)
{
	static const uint64_t worst[] = { 0,	      1,	  2,	   3,	      7,
					  0x7f,	      0x80,	  0xff,	   0xffff,    0x7fffffff,
					  0xffffffff, 0x40000000, 0x10001, UINT64_MAX };
	unsigned times = 1 + (unsigned)(next() % 4);

	switch (round % 4) {
	case 0: /* bits */
		while (times--)
			b->data[next() % b->size] ^= (uint8_t)(1u << next() % 8);
		break;
	case 1: /* cut off */
		b->size = next() % (b->size + 1);
		break;
	case 2: /* lengths and counts */
		while (times--)
			put_at(b, lengths[signature][next() % 8], 1u << next() % 3,
			       worst[next() % TM_ARRAY_SIZE(worst)]);
		break;
	default: /* bytes, and cut off where the table does not say so */
		while (times--)
			b->data[next() % b->size] = (uint8_t)next();
		b->size -= next() % (b->size / 2);
		break;
	}
}

/* Alone, and beside a sound SRAT and CEDT. Returns whether anything was found. */
static bool exercise_bytes(enum tm_acpi_signature signature, const struct bytes *b)
{
	struct bytes other = { .size = 0 };
	struct tm_acpi acpi = { 0 };
	uint8_t *exact = malloc(b->size ? b->size : 1);
	bool found_any;

	assert_non_null(exact);
	memcpy(exact, b->data, b->size);
	exercise_add(&acpi, signature, exact, b->size);
	free(exact);
	if (signature != TM_ACPI_SRAT) {
		sample_srat(&other, 3);
		exercise_add(&acpi, TM_ACPI_SRAT, other.data, other.size);
	}
	if (signature != TM_ACPI_CEDT) {
		sample_cedt(&other);
		exercise_add(&acpi, TM_ACPI_CEDT, other.data, other.size);
	}
	assert_int_equal(tm_acpi_check(&acpi, NULL), 0);
	found_any = false;
	for (size_t i = 0; i < acpi.findings.nr; i++)
		found_any |= acpi.findings.list[i].table == acpi.tables[0];
	exercise(&acpi);
	return found_any;
}

static void corrupt(enum tm_acpi_signature signature, const struct bytes *sound)
{
	unsigned silent = 0;

	seed = 88172645463325252ull + signature;
	for (unsigned round = 0; round < CORRUPTIONS; round++) {
		struct bytes b = *sound;

		damage(&b, signature, round);
		if (b.size == sound->size && !memcmp(b.data, sound->data, b.size))
			continue;
		/* The checksum alone sees nearly all: two damages can even each other out. */
		silent += !exercise_bytes(signature, &b);
	}
	assert_in_range(silent, 0, CORRUPTIONS / 50);
}

static void test_hmat(void **state)
{
	struct bytes b = { .size = 0 };

	(void)state;
	sample_hmat(&b, 1);
	corrupt(TM_ACPI_HMAT, &b);
	sample_hmat(&b, 2);
	corrupt(TM_ACPI_HMAT, &b);
}

static void test_srat(void **state)
{
	struct bytes b = { .size = 0 };

	(void)state;
	sample_srat(&b, 1);
	corrupt(TM_ACPI_SRAT, &b);
	sample_srat(&b, 3);
	corrupt(TM_ACPI_SRAT, &b);
}

static void test_slit(void **state)
{
	struct bytes b = { .size = 0 };

	(void)state;
	sample_slit(&b);
	corrupt(TM_ACPI_SLIT, &b);
}

static void test_cedt(void **state)
{
	struct bytes b = { .size = 0 };

	(void)state;
	sample_cedt(&b);
	corrupt(TM_ACPI_CEDT, &b);
}

static void test_cdat(void **state)
{
	struct bytes b = { .size = 0 };

	(void)state;
	sample_cdat(&b);
	corrupt(TM_ACPI_CDAT, &b);
}

/* Every length that a table can be cut to. */
static void test_every_length(void **state)
{
	static void (*const sample[])(struct bytes *) = {
		[TM_ACPI_SLIT] = sample_slit,
		[TM_ACPI_CEDT] = sample_cedt,
		[TM_ACPI_CDAT] = sample_cdat,
	};

	(void)state;
	for (int i = 0; i < TM_ACPI_NR_SIGNATURES; i++) {
		enum tm_acpi_signature signature = (enum tm_acpi_signature)i;
		struct bytes b = { .size = 0 };

		if (signature == TM_ACPI_HMAT)
			sample_hmat(&b, 2);
		else if (signature == TM_ACPI_SRAT)
			sample_srat(&b, 3);
		else
			sample[signature](&b);
		while (b.size--)
			assert_true(exercise_bytes(signature, &b));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hmat), cmocka_unit_test(test_srat),
		cmocka_unit_test(test_slit), cmocka_unit_test(test_cedt),
		cmocka_unit_test(test_cdat), cmocka_unit_test(test_every_length),
	};

	return cmocka_run_group_tests_name("acpi-corrupt", tests, NULL, NULL);
}
