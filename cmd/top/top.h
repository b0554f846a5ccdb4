/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_TOP_TOP_H
#define CMD_TOP_TOP_H

#include "cmd/command.h"
#include "cmd/top/source.h"
#include "cmd/top/view.h"

extern const struct command top_command;

/* How it runs, from the options. */
struct top {
	struct app *app;
	struct top_source source;
	struct top_recorder recorder;
	uint64_t interval_ns;
	bool as_recorded; /* a replay takes the times between samples from the recording */
	uint64_t count;	  /* samples to show; 0: no end */
	/* The last two samples; `now` counts when has_now. */
	struct tm_sample samples[2];
	struct tm_sample *now, *before;
	bool has_now, has_before;
};

/*
 * Takes the next sample, records it, and makes it `now`. 1, 0 at the end of a recording, or -errno.
 */
int top_advance(struct top *top, struct tm_error *err);
struct top_view top_view(const struct top *top);

/* Lines or documents, one for each sample. Returns an exit code. */
int top_batch(struct top *top);

/* The screen, until the user leaves it. Returns an exit code. */
int top_screen(struct top *top);

#endif
