/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attributes: small files that hold one value, in sysfs or shaped like it. Paths are formatted as
 * printf does and are relative to the root.
 *
 * The readings never fail loudly: a value that is not there, denied or of another form says so in
 * its state (lib/base/value.h).
 */
#ifndef TM_SYS_ATTR_H
#define TM_SYS_ATTR_H

#include "lib/base/idset.h"
#include "lib/base/value.h"
#include "lib/sys/root.h"

/* No attribute of the kernel is larger: a page, but for lists of CPUs and ids. */
#define TM_ATTR_MAX (256 * 1024)

/*
 * The attribute's text without white space at its end, as the kernel gave it (it may hold any bytes
 * but NUL). *text is replaced on success only. 0 or -errno: -EFBIG above TM_ATTR_MAX, -EISDIR,
 * -EINVAL for what is no regular file or holds NUL bytes.
 */
int tm_attr_read(const struct tm_root *root, const char *path, struct tm_buf *text);

/* A text. An empty attribute is TM_NOT_PROVIDED. */
struct tm_text tm_attr_text(const struct tm_root *root, const char *path);

/* An unsigned number in decimal or 0x form. */
struct tm_num tm_attr_num(const struct tm_root *root, const char *path);

/* A list of ids ("0-3,8") into *set (untouched unless the result is TM_KNOWN). */
enum tm_state tm_attr_list(const struct tm_root *root, const char *path, struct tm_idset *set);

/* The same for a mask ("ff,00000001"). */
enum tm_state tm_attr_mask(const struct tm_root *root, const char *path, struct tm_idset *set);

#endif
