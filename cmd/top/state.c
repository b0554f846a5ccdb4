/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/top/state.h"

#include <string.h>

static void add(struct history *history, double value)
{
	history->value[history->next] = value;
	history->next = (history->next + 1) % HISTORY;
	if (history->nr < HISTORY)
		history->nr++;
}

double history_get(const struct history *history, size_t i)
{
	if (i >= history->nr)
		return -1;
	return history->value[(history->next + HISTORY - 1 - i) % HISTORY];
}

double history_max(const struct history *history)
{
	double max = 0;

	for (size_t i = 0; i < history->nr; i++)
		max = TM_MAX(max, history->value[i]);
	return max;
}

void top_state_update(struct top_state *state, const struct top_view *view)
{
	state->view = *view;
	for (size_t i = 0; i < TOP_FIGURES; i++) {
		struct top_rate rate = top_figure_rate(view, (enum top_figure)i);

		state->rates[i] = rate;
		if (!view->before)
			continue;
		add(&state->histories[i], rate.state == TM_KNOWN ? rate.per_second : -1);
		if (rate.state != TM_KNOWN)
			continue;
		state->sum[i] += rate.per_second;
		state->samples[i]++;
	}
}

void top_state_reset(struct top_state *state)
{
	memset(state->histories, 0, sizeof(state->histories));
	memset(state->sum, 0, sizeof(state->sum));
	memset(state->samples, 0, sizeof(state->samples));
	state->has_baseline = false;
}

void top_state_baseline(struct top_state *state)
{
	for (size_t i = 0; i < TOP_FIGURES; i++) {
		state->baseline[i] = state->rates[i];
		if (state->samples[i])
			state->baseline[i] =
				(struct top_rate){ TM_KNOWN,
						   state->sum[i] / (double)state->samples[i] };
	}
	state->has_baseline = true;
}

bool top_state_change(const struct top_state *state, enum top_figure figure, double *percent)
{
	const struct top_rate *was = &state->baseline[figure], *is = &state->rates[figure];

	if (!state->has_baseline || was->state != TM_KNOWN || is->state != TM_KNOWN ||
	    was->per_second <= 0)
		return false;
	*percent = (is->per_second / was->per_second - 1) * 100;
	return true;
}
