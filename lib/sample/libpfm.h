/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpfm4, loaded when it is used: it knows the names of the CPUs' own events. Internal to
 * lib/sample.
 */
#ifndef TM_SAMPLE_LIBPFM_H
#define TM_SAMPLE_LIBPFM_H

/* Before libpfm's headers, which else bring their own copy of it. */
#include <linux/perf_event.h>

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include "lib/base/error.h"

#define TM_LIBPFM(X)                 \
	X(pfm_get_event_attr_info)   \
	X(pfm_get_event_info)        \
	X(pfm_get_event_next)        \
	X(pfm_get_os_event_encoding) \
	X(pfm_get_pmu_info)          \
	X(pfm_initialize)            \
	X(pfm_strerror)              \
	X(pfm_terminate)

struct tm_libpfm {
	void *handle; /* NULL: not loaded */
#define TM_LIBPFM_MEMBER(function) __typeof__(&(function)) function;
	TM_LIBPFM(TM_LIBPFM_MEMBER)
#undef TM_LIBPFM_MEMBER
};

/* Loads it and lets it look for this machine's CPU. 0, or -ENOSYS where that is not possible. */
int tm_libpfm_load(struct tm_libpfm *pfm, struct tm_error *err);
void tm_libpfm_unload(struct tm_libpfm *pfm);

#endif
