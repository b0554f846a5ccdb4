/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/base/idset.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"

#define WORD_BITS (sizeof(unsigned long) * CHAR_BIT)

void tm_idset_release(struct tm_idset *set)
{
	free(set->word);
	*set = (struct tm_idset)TM_IDSET_INIT;
}

int tm_idset_add(struct tm_idset *set, long id)
{
	size_t index = (size_t)id / WORD_BITS;

	if (id < 0 || id > TM_ID_MAX)
		return -ERANGE;
	if (tm_array_grow(&set->word, index, &set->nwords, sizeof(*set->word)))
		return -ENOMEM;
	set->word[index] |= 1UL << ((size_t)id % WORD_BITS);
	return 0;
}

void tm_idset_remove(struct tm_idset *set, long id)
{
	if (tm_idset_has(set, id))
		set->word[(size_t)id / WORD_BITS] &= ~(1UL << ((size_t)id % WORD_BITS));
}

bool tm_idset_has(const struct tm_idset *set, long id)
{
	size_t index = (size_t)id / WORD_BITS;

	return id >= 0 && index < set->nwords && (set->word[index] >> ((size_t)id % WORD_BITS) & 1);
}

size_t tm_idset_count(const struct tm_idset *set)
{
	size_t count = 0;

	for (size_t i = 0; i < set->nwords; i++)
		count += (size_t)__builtin_popcountl(set->word[i]);
	return count;
}

bool tm_idset_empty(const struct tm_idset *set)
{
	return tm_idset_next(set, 0) < 0;
}

bool tm_idset_equal(const struct tm_idset *a, const struct tm_idset *b)
{
	for (size_t i = 0; i < TM_MAX(a->nwords, b->nwords); i++) {
		unsigned long wa = i < a->nwords ? a->word[i] : 0;
		unsigned long wb = i < b->nwords ? b->word[i] : 0;

		if (wa != wb)
			return false;
	}
	return true;
}

bool tm_idset_intersects(const struct tm_idset *a, const struct tm_idset *b)
{
	for (size_t i = 0; i < TM_MIN(a->nwords, b->nwords); i++)
		if (a->word[i] & b->word[i])
			return true;
	return false;
}

int tm_idset_copy(struct tm_idset *to, const struct tm_idset *from)
{
	struct tm_idset copy = { calloc(from->nwords ? from->nwords : 1, sizeof(*copy.word)),
				 from->nwords };

	if (!copy.word)
		return -ENOMEM;
	if (from->nwords)
		memcpy(copy.word, from->word, from->nwords * sizeof(*copy.word));
	tm_idset_release(to);
	*to = copy;
	return 0;
}

long tm_idset_next(const struct tm_idset *set, long from)
{
	size_t index = (size_t)from / WORD_BITS;
	unsigned long word;

	if (from < 0 || index >= set->nwords)
		return -1;
	word = set->word[index] & (~0UL << ((size_t)from % WORD_BITS));
	while (!word) {
		if (++index >= set->nwords)
			return -1;
		word = set->word[index];
	}
	return (long)(index * WORD_BITS + (size_t)__builtin_ctzl(word));
}

/*
 * Reads decimal digits at *text; -1 where there are none or the id is too large (*text moves past).
 */
static long read_id(const char **text)
{
	const char *s = *text;
	long id = 0;

	if (!isdigit((unsigned char)*s))
		return -1;
	for (; isdigit((unsigned char)*s); s++)
		id = id > TM_ID_MAX ? id : id * 10 + (*s - '0');
	*text = s;
	return id;
}

int tm_idset_parse_list(struct tm_idset *set, const char *text)
{
	struct tm_idset parsed = TM_IDSET_INIT;
	int rc = -EINVAL;

	while (isspace((unsigned char)*text))
		text++;
	while (*text && !isspace((unsigned char)*text)) {
		long first = read_id(&text), last = first;

		if (first < 0)
			goto out;
		if (*text == '-') {
			text++;
			last = read_id(&text);
		}
		if (last < first)
			goto out;
		if (last > TM_ID_MAX) {
			rc = -ERANGE;
			goto out;
		}
		for (long id = first; id <= last; id++) {
			if (tm_idset_add(&parsed, id)) {
				rc = -ENOMEM;
				goto out;
			}
		}
		if (*text == ',' && isdigit((unsigned char)text[1]))
			text++;
		else if (*text && !isspace((unsigned char)*text))
			goto out;
	}
	while (isspace((unsigned char)*text))
		text++;
	if (!*text)
		rc = 0;
out:
	if (rc == 0) {
		tm_idset_release(set);
		*set = parsed;
	} else {
		tm_idset_release(&parsed);
	}
	return rc;
}

int tm_idset_parse_mask(struct tm_idset *set, const char *text)
{
	struct tm_idset parsed = TM_IDSET_INIT;
	const char *end, *s;
	long id = 0;
	int rc = 0;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	/* From the right: groups of up to eight hex digits, the rightmost holds ids 0 to 31. */
	for (s = end; !rc && s > text;) {
		int digits = 0;

		for (; s > text && isxdigit((unsigned char)s[-1]); s--, digits++) {
			int c = tolower((unsigned char)s[-1]);
			int nibble = isdigit(c) ? c - '0' : c - 'a' + 10;

			for (int bit = 0; bit < 4 && !rc; bit++)
				if (nibble >> bit & 1)
					rc = tm_idset_add(&parsed, id + digits * 4 + bit);
		}
		if (digits == 0 || digits > 8 || (s > text && s[-1] != ','))
			rc = -EINVAL;
		else if (s > text && --s == text)
			rc = -EINVAL; /* a leading comma */
		id += 32;
	}
	if (rc) {
		tm_idset_release(&parsed);
		return rc;
	}
	tm_idset_release(set);
	*set = parsed;
	return 0;
}

char *tm_idset_format(const struct tm_idset *set)
{
	struct tm_buf buf = TM_BUF_INIT;

	for (long first = tm_idset_next(set, 0), last; first >= 0;
	     first = tm_idset_next(set, last + 1)) {
		for (last = first; tm_idset_has(set, last + 1);)
			last++;
		tm_buf_addf(&buf, "%s%ld", buf.len ? "," : "", first);
		if (last > first)
			tm_buf_addf(&buf, "-%ld", last);
	}
	return tm_buf_detach(&buf);
}
