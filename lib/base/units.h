/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers with units, as people write and read them. */
#ifndef TM_BASE_UNITS_H
#define TM_BASE_UNITS_H

#include <stdint.h>

/*
 * An unsigned number in the kernel's forms: decimal, or hexadecimal after 0x; white space at the
 * ends. Octal is not guessed: "010" is 10. 0; -EINVAL; -ERANGE above 64 bits.
 */
int tm_parse_u64(const char *text, uint64_t *value);

/* Room for any output of the functions below. */
#define TM_UNITS_MAX 32

/* Bytes in binary steps with at most three digits: "256G", "1.5T", "512K", "0B". Returns buf. */
char *tm_format_bytes(char buf[TM_UNITS_MAX], uint64_t bytes);

#endif
