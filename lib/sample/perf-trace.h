/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tracepoints by name, as tracefs describes them (Documentation/trace/events.rst). */
#ifndef TM_SAMPLE_PERF_TRACE_H
#define TM_SAMPLE_PERF_TRACE_H

#include "lib/base/error.h"
#include "lib/base/value.h"
#include "lib/sys/root.h"

struct tm_tracepoint {
	uint64_t id;  /* attr.config of PERF_TYPE_TRACEPOINT */
	char *format; /* what its records hold; owned */
};

/*
 * TM_KNOWN, or why it cannot be found, with the sentence in *err: TM_ABSENT where tracefs is not
 * mounted (which tiermem does not do by itself), TM_UNSUPPORTED where it is and has no such
 * tracepoint, TM_DENIED, TM_MALFORMED.
 */
enum tm_state tm_tracepoint_find(const struct tm_root *root, const char *group, const char *name,
				 struct tm_tracepoint *tracepoint, struct tm_error *err);
void tm_tracepoint_release(struct tm_tracepoint *tracepoint);

/* The size in bytes of a field of its records; 0: it has none of this name. */
size_t tm_tracepoint_field_size(const struct tm_tracepoint *tracepoint, const char *field);

#endif
