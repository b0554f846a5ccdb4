/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Readings for the model: attributes by printf-style path, with what is denied or malformed noted
 * in the machine, once. Internal to lib/model.
 */
#ifndef TM_MODEL_READ_H
#define TM_MODEL_READ_H

#include "lib/model/machine.h"
#include "lib/sys/attr.h"

struct tm_reader {
	const struct tm_root *root;
	struct tm_machine *machine;
	const struct tm_machine_options *options;
};

struct tm_num tm_read_num(struct tm_reader *rd, const char *fmt, ...) TM_PRINTF(2, 3);
/* As tm_read_num; the kernel's 0 for "no figure" becomes TM_NOT_PROVIDED. */
struct tm_num tm_read_figure(struct tm_reader *rd, const char *fmt, ...) TM_PRINTF(2, 3);
/* An id (node, QoS class); -1 becomes TM_NOT_PROVIDED. */
struct tm_num tm_read_id(struct tm_reader *rd, const char *fmt, ...) TM_PRINTF(2, 3);
struct tm_text tm_read_text(struct tm_reader *rd, const char *fmt, ...) TM_PRINTF(2, 3);
enum tm_state tm_read_list(struct tm_reader *rd, struct tm_idset *set, const char *fmt, ...)
	TM_PRINTF(3, 4);
enum tm_state tm_read_mask(struct tm_reader *rd, struct tm_idset *set, const char *fmt, ...)
	TM_PRINTF(3, 4);

/* A whole procfs file of at most `max` bytes. The caller releases `text`. */
enum tm_state tm_read_file(struct tm_reader *rd, struct tm_buf *text, size_t max, const char *path);

/* Notes a reading that is there and cannot be used. */
void tm_read_note(struct tm_reader *rd, const char *path, enum tm_state state);

/* The parts of tm_machine_read, in the order in which they run. 0 or -ENOMEM. */
int tm_read_system(struct tm_reader *rd);
int tm_read_nodes(struct tm_reader *rd);
int tm_read_memory(struct tm_reader *rd);
int tm_read_perf(struct tm_reader *rd);
int tm_read_tiers(struct tm_reader *rd);
int tm_read_weights(struct tm_reader *rd);
int tm_read_dax(struct tm_reader *rd);
int tm_read_cxl(struct tm_reader *rd);
int tm_read_blocks(struct tm_reader *rd);
int tm_read_firmware(struct tm_reader *rd);
int tm_read_cdat(struct tm_reader *rd);
/* 0 or -ENOMEM. */
int tm_perf_add(struct tm_machine *machine, const struct tm_perf *row);
void tm_perf_sort(struct tm_machine *machine);
void tm_find_kinds(struct tm_machine *machine);

#endif
