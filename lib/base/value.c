/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/base/value.h"

#include <errno.h>
#include <stdlib.h>

const char *tm_state_reason(enum tm_state state)
{
	switch (state) {
	case TM_ABSENT:
		return "absent";
	case TM_DENIED:
		return "denied";
	case TM_UNSUPPORTED:
		return "unsupported";
	case TM_MALFORMED:
		return "malformed";
	case TM_NOT_PROVIDED:
		return "not-provided";
	case TM_NOT_ASKED:
		return "not-asked";
	case TM_OFFLINE:
		return "offline";
	case TM_UNKNOWN:
	case TM_KNOWN:
		break;
	}
	return NULL;
}

enum tm_state tm_state_from_errno(int number)
{
	switch (number) {
	case ENOENT:
	case ENOTDIR:
		return TM_ABSENT;
	case EACCES:
	case EPERM:
		return TM_DENIED;
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
	case ENOSYS:
		return TM_UNSUPPORTED;
	default:
		return TM_MALFORMED;
	}
}

void tm_text_release(struct tm_text *text)
{
	free(text->value);
	*text = (struct tm_text){ NULL, TM_UNKNOWN };
}
