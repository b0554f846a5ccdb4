/* SPDX-License-Identifier: GPL-2.0-only */
/* Panels draw a state onto a canvas; they never read the machine. */
#ifndef CMD_TOP_PANELS_H
#define CMD_TOP_PANELS_H

#include "cmd/top/canvas.h"
#include "cmd/top/state.h"

struct panel {
	const char *title;
	const char *help; /* what it shows, for the list of keys */
	int least;	  /* rows below its title of which it makes good use */
	/* How many rows it would like below its title, on so many columns. */
	int (*rows)(const struct top_state *state, int columns);
	/* Draws into so many rows, which may be fewer. */
	void (*draw)(struct canvas *canvas, int row, int rows, const struct top_state *state);
	/* Adds to the right of its title; NULL: nothing. */
	void (*draw_title)(struct canvas *canvas, int row, int column,
			   const struct top_state *state);
};

extern const struct panel panel_tlb, panel_migration, panel_nodes, panel_processes, panel_sizes;

/* In the order of the screen and of the keys 1, 2, …; ends with NULL. */
extern const struct panel *const panels[];

#define MAX_PANELS 8
/* The place of processes among them, which the screen asks for only when it is shown. */
#define PANEL_PROCESSES 3

/* Where things came to stand, for the mouse. */
struct layout {
	int title_row[MAX_PANELS]; /* of each panel; -1: not on the screen */
};

/* Draws the whole screen. */
void screen_draw(struct canvas *canvas, const struct top_state *state, struct layout *layout);

/* "label 12k/s", with the change against the baseline; returns the column after it. */
int panel_figure(struct canvas *canvas, int row, int column, const struct top_state *state,
		 enum top_figure figure);
/* The history of a figure, the newest at the right end of so many columns. */
void panel_spark(struct canvas *canvas, int row, int column, int columns,
		 const struct top_state *state, enum top_figure figure);

#endif
