/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers with units, as people write and read them. */
#ifndef TM_BASE_UNITS_H
#define TM_BASE_UNITS_H

#include <stdint.h>

#include "lib/base/value.h"

/*
 * An unsigned number in the kernel's forms: decimal, or hexadecimal after 0x; white space at the
 * ends. Octal is not guessed: "010" is 10. 0; -EINVAL; -ERANGE above 64 bits.
 */
int tm_parse_u64(const char *text, uint64_t *value);

/*
 * The number after blanks at `text`, which ends at a blank, a line's end or the NUL; TM_MALFORMED
 * where there is none, or one above 64 bits.
 */
struct tm_num tm_leading_number(const char *text);

/*
 * An amount such as "64K", "20G" or "1.5Gi": K, M, G and T count in steps of `step` (1000 or 1024),
 * Ki, Mi, Gi and Ti always in steps of 1024; a "B" may follow. Fractions must come out whole. 0;
 * -EINVAL; -ERANGE above 64 bits.
 */
int tm_parse_amount(const char *text, unsigned step, uint64_t *amount);

/*
 * Seconds with at most nine decimals, such as "1" or "0.5", into nanoseconds. As tm_parse_amount.
 */
int tm_parse_seconds(const char *text, uint64_t *ns);

/* Room for any output of the functions below. */
#define TM_UNITS_MAX 32

/* Bytes in binary steps with at most three digits: "256G", "1.5T", "512K", "0B". Returns buf. */
char *tm_format_bytes(char buf[TM_UNITS_MAX], uint64_t bytes);

/* An amount as tm_parse_amount reads it back exactly: "64Gi", "19073Mi", "100". Returns buf. */
char *tm_format_amount(char buf[TM_UNITS_MAX], uint64_t amount);

#endif
