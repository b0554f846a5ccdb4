/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples as JSON, to be recorded and replayed. A recording is a file of lines, one document each:
 * whatever ends the writer, the whole lines before stay readable. All counters keep their 64 bits,
 * and what was not known keeps its reason.
 */
#ifndef TM_SAMPLE_RECORDING_H
#define TM_SAMPLE_RECORDING_H

#include "lib/json/build.h"
#include "lib/json/parse.h"
#include "lib/sample/sample.h"

/* Adds the sample's members to the innermost open object. */
void tm_sample_write(struct tm_json *json, const struct tm_sample *sample);

/* Adds "memory", where a process's memory lies: an array, or null and why. */
void tm_process_memory_write(struct tm_json *json, const struct tm_process_sample *process);

/*
 * Reads them back into an object that was zeroed or used before, whose lists are reused. Members
 * that are missing are TM_NOT_ASKED; unknown ones are passed over. 0, -ENOMEM, or -EINVAL with the
 * member's name, and then the sample holds nothing of use.
 */
int tm_sample_parse(struct tm_sample *sample, const struct tm_jvalue *object, struct tm_error *err);

#endif
