/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the screen remembers from sample to sample: histories of the figures, the baseline, and what
 * the user chose. It is brought up to date once for each sample; panels then only draw it.
 */
#ifndef CMD_TOP_STATE_H
#define CMD_TOP_STATE_H

#include "cmd/top/figure.h"

#define HISTORY 64

struct history {
	double value[HISTORY]; /* a ring; below 0: not known */
	size_t next, nr;
};

/* What processes are sorted by. */
enum top_sort { SORT_FLUSHES, SORT_INITIATED, SORT_RECEIVED, SORT_MIGRATED, SORT_MEMORY };
#define TOP_SORTS (SORT_MEMORY + 1)

struct top_state {
	struct top_view view;
	struct top_rate rates[TOP_FIGURES];
	struct history histories[TOP_FIGURES];
	/* Sums since the start or the last reset, for the mean of a baseline. */
	double sum[TOP_FIGURES];
	uint64_t samples[TOP_FIGURES];
	struct top_rate baseline[TOP_FIGURES]; /* TM_KNOWN only when has_baseline */
	bool has_baseline;

	unsigned hidden; /* panels, by bit */
	enum top_sort sort;
	char filter[16];      /* of processes' names; "" for all */
	bool filtering;	      /* it is being typed */
	char flush_error[80]; /* why flushes are not counted; "" where they are */
	char flush_hint[256]; /* and what can be done about it; "" */
	bool paused, help, replay;
	uint64_t interval_ns;  /* between the samples */
	uint64_t pace_ns;      /* between those of a replay, on the screen; 0: as recorded */
	const char *recording; /* NULL: none */
	char message[128];     /* what the last key did; "" for none */
};

/* Takes the new view in. */
void top_state_update(struct top_state *state, const struct top_view *view);
/* Forgets histories, sums and baseline. */
void top_state_reset(struct top_state *state);
/* The means so far become the baseline, or it goes. */
void top_state_baseline(struct top_state *state);

/*
 * The change of a figure against the baseline in percent; false where one of them is not known or
 * the baseline is 0.
 */
bool top_state_change(const struct top_state *state, enum top_figure figure, double *percent);

/* The i-th newest value, 0 being the newest; below 0 where there is none. */
double history_get(const struct history *history, size_t i);
/* The largest in it; 0 where there is none. */
double history_max(const struct history *history);

#endif
