/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ncursesw, loaded when the screen is used, so that no other command starts more slowly for it.
 */
#ifndef CMD_TOP_CURSES_H
#define CMD_TOP_CURSES_H

#define NCURSES_NOMACROS
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "lib/base/error.h"

#define TOP_CURSES(X)         \
	X(COLOR_PAIR)         \
	X(cbreak)             \
	X(curs_set)           \
	X(delscreen)          \
	X(doupdate)           \
	X(endwin)             \
	X(getmaxx)            \
	X(getmaxy)            \
	X(getmouse)           \
	X(has_colors)         \
	X(init_pair)          \
	X(keypad)             \
	X(mousemask)          \
	X(newterm)            \
	X(nodelay)            \
	X(noecho)             \
	X(start_color)        \
	X(use_default_colors) \
	X(waddnstr)           \
	X(wattrset)           \
	X(wclear)             \
	X(werase)             \
	X(wgetch)             \
	X(wmove)              \
	X(wnoutrefresh)

struct top_curses {
	void *handle;
	WINDOW **screen; /* the library's stdscr */
	int *colors;	 /* its COLORS */
#define TOP_CURSES_MEMBER(function) __typeof__(&(function)) function;
	TOP_CURSES(TOP_CURSES_MEMBER)
#undef TOP_CURSES_MEMBER
};

/* 0, or -ENOSYS where the library is not installed. */
int top_curses_load(struct top_curses *curses, struct tm_error *err);
void top_curses_unload(struct top_curses *curses);

#endif
