/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/sys/process-stat.h"

#include <errno.h>
#include <string.h>

#include "lib/base/units.h"

#define STAT_MAX ((size_t)64 << 10)

/* Numbers of fields, from 1. */
enum { STATE = 3, THREADS = 20, START = 22, RESIDENT = 24 };

int tm_process_stat_parse(const char *text, struct tm_process_stat *stat)
{
	/* The name may hold anything, blanks and brackets too. */
	const char *open = strchr(text, '('), *close = strrchr(text, ')'), *s = close;
	struct tm_num field[RESIDENT + 1];
	struct tm_process_stat parsed = { 0 };
	struct tm_buf name = TM_BUF_INIT;

	if (!open || !close || close < open)
		return -EINVAL;
	for (int i = STATE; i <= RESIDENT; i++) {
		s = strchr(s + 1, ' ');
		if (!s)
			return -EINVAL;
		if (i == STATE)
			parsed.state = s[1];
		field[i] = tm_leading_number(s);
	}
	if (!tm_num_is(&field[THREADS]) || !tm_num_is(&field[START]) ||
	    !tm_num_is(&field[RESIDENT]))
		return -EINVAL;
	parsed.threads = field[THREADS].value;
	parsed.start = field[START].value;
	parsed.resident = field[RESIDENT].value;
	tm_buf_add_printable(&name, open + 1, (size_t)(close - open - 1));
	strncpy(parsed.name, tm_buf_str(&name), sizeof(parsed.name) - 1);
	tm_buf_release(&name);
	*stat = parsed;
	return 0;
}

int tm_process_stat_read(const struct tm_root *root, pid_t pid, struct tm_buf *text,
			 struct tm_process_stat *stat)
{
	char path[TM_PATH_MAX];
	int rc = tm_path_format(path, "proc/%d/stat", (int)pid);

	if (!rc)
		rc = tm_root_read(root, path, STAT_MAX, text);
	return rc ? rc : tm_process_stat_parse(tm_buf_str(text), stat);
}
