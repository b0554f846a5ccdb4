/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal: what is drawn gets onto it, and keys come from it. */
#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/top/curses.h"
#include "cmd/top/panels.h"
#include "cmd/top/top.h"

#define SECOND 1000000000ULL
#define ESCAPE 27

struct screen {
	struct top *top;
	struct top_curses curses;
	SCREEN *term;
	FILE *keys; /* where keys come from, when that is not standard input */
	struct canvas canvas;
	struct top_state state;
	struct layout layout;
	chtype styles[CANVAS_STYLES];
	uint64_t next_ns; /* when the next sample is due */
	bool ended;	  /* a replay is at its end */
	bool drained;	  /* all that happened is that buffers were emptied: nothing to draw */
	bool leave;
	char recording[64];
};

static volatile sig_atomic_t caught;

static void catch (int number)
{
	caught = number;
}

static const int endings[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
/* Those the library handles. They come while it waits as well, lest one is missed before. */
static const int others[] = { SIGWINCH, SIGTSTP };

static uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* A pair for each style where the terminal has colours; attributes alone where it has not. */
static void choose_styles(struct screen *s)
{
	static const struct {
		chtype mono;
		short few, many; /* colours of 8 and of 256; -1: the terminal's own */
	} styles[CANVAS_STYLES] = {
		[STYLE_PLAIN] = { A_NORMAL, -1, -1 },
		[STYLE_TITLE] = { A_BOLD, COLOR_CYAN, 44 },
		[STYLE_DIM] = { A_DIM, -1, 244 },
		[STYLE_WARNING] = { A_BOLD, COLOR_YELLOW, 220 },
		[STYLE_SELECTED] = { A_REVERSE, -1, -1 },
		[STYLE_HEAT1] = { A_DIM, COLOR_GREEN, 28 },
		[STYLE_HEAT2] = { A_NORMAL, COLOR_GREEN, 40 },
		[STYLE_HEAT3] = { A_NORMAL, COLOR_YELLOW, 214 },
		[STYLE_HEAT4] = { A_BOLD, COLOR_RED, 196 },
	};
	bool colour = !s->top->app->no_color && s->curses.has_colors() &&
		      s->curses.start_color() == OK && s->curses.use_default_colors() == OK;

	for (int i = 0; i < CANVAS_STYLES; i++) {
		short wanted = colour && *s->curses.colors >= 256 ? styles[i].many : styles[i].few;

		s->styles[i] = styles[i].mono;
		if (!colour || wanted < 0 || s->curses.init_pair((short)(i + 1), wanted, -1) != OK)
			continue;
		s->styles[i] = (chtype)s->curses.COLOR_PAIR(i + 1) | (styles[i].mono & A_BOLD);
	}
}

static int refuse(struct screen *s, const char *why)
{
	struct tm_error err = { 0 };

	tm_error_set(&err, ENOTTY, "%s", why);
	tm_error_hint(&err, "--batch prints lines, to whatever it is");
	return report(s->top->app, EXIT_FAILED, &err);
}

static int open_screen(struct screen *s)
{
	struct tm_error err = { 0 };
	FILE *keys = stdin;

	if (!isatty(STDOUT_FILENO))
		return refuse(s, "standard output is no terminal");
	if (!isatty(STDIN_FILENO)) {
		s->keys = keys = fopen("/dev/tty", "re");
		if (!keys)
			return refuse(s, "there is no terminal to take keys from");
	}
	if (top_curses_load(&s->curses, &err))
		return report(s->top->app, EXIT_UNSUPPORTED, &err);
	s->term = s->curses.newterm(NULL, stdout, keys);
	if (!s->term)
		return refuse(s, "this terminal is not known (TERM)");
	s->top->app->printed = true;
	s->curses.cbreak();
	s->curses.noecho();
	s->curses.keypad(*s->curses.screen, TRUE);
	s->curses.nodelay(*s->curses.screen, TRUE);
	s->curses.curs_set(0);
	s->curses.mousemask(BUTTON1_CLICKED, NULL);
	choose_styles(s);
	s->canvas.unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
	return EXIT_DONE;
}

static void close_screen(struct screen *s)
{
	if (s->term) {
		s->curses.endwin();
		s->curses.delscreen(s->term);
	}
	top_curses_unload(&s->curses);
	if (s->keys)
		fclose(s->keys);
	canvas_release(&s->canvas);
}

/* One call for each run of cells of one style. */
static void show_row(struct screen *s, int row)
{
	const struct canvas_cell *cells = s->canvas.cells + (size_t)row * (size_t)s->canvas.columns;
	WINDOW *window = *s->curses.screen;
	char run[1024];

	s->curses.wmove(window, row, 0);
	for (int i = 0; i < s->canvas.columns;) {
		unsigned char style = cells[i].style;
		size_t len = 0;

		for (; i < s->canvas.columns && cells[i].style == style &&
		       len + sizeof(cells[i].text) < sizeof(run);
		     i++) {
			size_t more = strlen(cells[i].text);

			memcpy(run + len, cells[i].text, more);
			len += more;
		}
		s->curses.wattrset(window, (int)s->styles[style]);
		s->curses.waddnstr(window, run, (int)len);
	}
}

static int redraw(struct screen *s, struct tm_error *err)
{
	WINDOW *window = *s->curses.screen;

	if (canvas_resize(&s->canvas, s->curses.getmaxy(window), s->curses.getmaxx(window)))
		return tm_error_nomem(err);
	if (s->top->has_now)
		screen_draw(&s->canvas, &s->state, &s->layout);
	s->curses.werase(window);
	for (int row = 0; row < s->canvas.rows; row++)
		show_row(s, row);
	s->curses.wnoutrefresh(window);
	s->curses.doupdate();
	return 0;
}

static void say(struct screen *s, const char *text)
{
	snprintf(s->state.message, sizeof(s->state.message), " %.120s", text);
}

static void start_recording(struct screen *s)
{
	struct tm_error err = { 0 };
	time_t now = time(NULL);
	struct tm tm;

	if (s->state.recording) {
		top_recorder_close(&s->top->recorder);
		s->state.recording = NULL;
		say(s, "recording stopped");
		return;
	}
	if (!localtime_r(&now, &tm) ||
	    !strftime(s->recording, sizeof(s->recording), "tiermem-%Y%m%d-%H%M%S.ndjson", &tm))
		return;
	if (top_recorder_open(&s->top->recorder, s->recording, false, &err)) {
		say(s, err.text);
		return;
	}
	s->state.recording = s->recording;
	snprintf(s->state.message, sizeof(s->state.message), " recording to %s", s->recording);
}

static void change_interval(struct screen *s, bool longer)
{
	/* 0.1, 0.2, 0.5, 1, 2, 5, … */
	static const uint64_t steps[] = { SECOND / 10, SECOND / 5,  SECOND / 2,
					  SECOND,      2 * SECOND,  5 * SECOND,
					  10 * SECOND, 30 * SECOND, 60 * SECOND };
	size_t nr = TM_ARRAY_SIZE(steps), i = 0;
	uint64_t interval = s->top->as_recorded ? s->state.interval_ns : s->top->interval_ns;

	while (i < nr && steps[i] < interval)
		i++;
	if (longer && i < nr && steps[i] == interval)
		i++;
	if (!longer)
		i = i ? i - 1 : 0;
	s->top->interval_ns = steps[TM_MIN(i, nr - 1)];
	s->top->as_recorded = false;
	if (s->state.replay)
		s->state.pace_ns = s->top->interval_ns;
	else
		s->state.interval_ns = s->top->interval_ns;
	s->next_ns = clock_now() + s->top->interval_ns;
}

/* Processes are looked at while their panel is shown, or when that was asked for. */
static void follow_processes(struct screen *s)
{
	bool shown = !(s->state.hidden & 1u << PANEL_PROCESSES);
	struct tm_error err = { 0 };

	if (top_source_processes(&s->top->source,
				 shown || app_option(s->top->app, "processes") != NULL, &err))
		say(s, err.text);
	else if (shown && !s->state.replay)
		s->next_ns = clock_now();
}

static void hide(struct screen *s, size_t panel)
{
	for (size_t i = 0; panels[i]; i++)
		if (i == panel)
			s->state.hidden ^= 1u << i;
	if (panel == PANEL_PROCESSES)
		follow_processes(s);
}

static void click(struct screen *s)
{
	MEVENT event;

	if (s->curses.getmouse(&event) != OK)
		return;
	for (size_t i = 0; panels[i]; i++)
		if (s->layout.title_row[i] == event.y)
			hide(s, i);
}

/* The line in which the filter is typed. */
static void edit_filter(struct screen *s, int key)
{
	char *filter = s->state.filter;
	size_t len = strlen(filter);

	if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		if (len)
			filter[len - 1] = '\0';
	} else if (key == '\n' || key == '\r' || key == KEY_ENTER) {
		s->state.filtering = false;
	} else if (key == ESCAPE) {
		filter[0] = '\0';
		s->state.filtering = false;
	} else if (key >= ' ' && key < 127 && len + 1 < sizeof(s->state.filter)) {
		filter[len] = (char)key;
		filter[len + 1] = '\0';
	}
}

static void sort_differently(struct screen *s)
{
	s->state.sort = (enum top_sort)((s->state.sort + 1) % TOP_SORTS);
	if (s->state.hidden & 1u << PANEL_PROCESSES)
		say(s, "4 shows processes");
}

static void handle_key(struct screen *s, int key)
{
	s->state.message[0] = '\0';
	if (s->state.filtering && key != KEY_RESIZE && key != KEY_MOUSE) {
		edit_filter(s, key);
		return;
	}
	switch (key) {
	case 'q':
	case 'Q':
		s->leave = true;
		break;
	case ' ':
		s->state.paused = !s->state.paused;
		s->next_ns = clock_now();
		break;
	case '+':
	case '-':
		change_interval(s, key == '+');
		break;
	case 'b':
		if (s->state.has_baseline)
			s->state.has_baseline = false;
		else
			top_state_baseline(&s->state);
		break;
	case 'r':
		top_state_reset(&s->state);
		say(s, "histories, means and baseline are forgotten");
		break;
	case 'w':
		start_recording(s);
		break;
	case '?':
	case 'h':
		s->state.help = !s->state.help;
		break;
	case KEY_MOUSE:
		click(s);
		break;
	case KEY_RESIZE:
		s->curses.wclear(*s->curses.screen);
		break;
	case 's':
		sort_differently(s);
		break;
	case '/':
		s->state.filtering = true;
		if (s->state.hidden & 1u << PANEL_PROCESSES)
			hide(s, PANEL_PROCESSES);
		break;
	case ESCAPE:
		s->state.help = false;
		s->state.filter[0] = '\0';
		break;
	default:
		if (key >= '1' && key <= '9')
			hide(s, (size_t)(key - '1'));
		break;
	}
}

/* Of a recording, its own. */
static void note_interval(struct screen *s, const struct top_view *view)
{
	struct tm_num recorded = tm_num_none(TM_UNKNOWN);

	if (!s->state.replay)
		return;
	if (view->before)
		recorded = tm_pair_interval(view->before, view->now);
	s->state.interval_ns = tm_num_is(&recorded) ? TM_MIN(recorded.value, 60 * SECOND) : 0;
}

/* The next sample, when it is due. 0 or -errno. */
static int sample(struct screen *s, struct tm_error *err)
{
	uint64_t now = clock_now(), wait;
	struct top_view view;
	int rc;

	if (s->state.paused || s->ended || now < s->next_ns)
		return 0;
	rc = top_advance(s->top, err);
	if (rc < 0 && s->state.recording && s->top->has_now) {
		/* The recording ends, the watching goes on. */
		top_recorder_close(&s->top->recorder);
		s->state.recording = NULL;
		say(s, err->text);
		rc = 1;
	}
	if (rc < 0)
		return rc;
	if (!rc) {
		s->ended = true;
		say(s, "end of the recording");
		return 0;
	}
	view = top_view(s->top);
	top_state_update(&s->state, &view);
	note_interval(s, &view);
	/* What was missed while the machine slept is not made up. */
	wait = s->top->as_recorded ? s->state.interval_ns : s->top->interval_ns;
	s->next_ns += wait;
	if (s->next_ns < now)
		s->next_ns = now + wait;
	return 0;
}

/* Waits for a key, a signal, full buffers, or the time of the next sample. */
static void wait_for_something(struct screen *s, const sigset_t *signals)
{
	struct pollfd polled[] = {
		{ .fd = s->keys ? fileno(s->keys) : STDIN_FILENO, .events = POLLIN },
		{ .fd = top_source_fd(&s->top->source), .events = POLLIN },
	};
	uint64_t now = clock_now(), left = s->next_ns > now ? s->next_ns - now : 0;
	struct timespec timeout = { .tv_sec = (time_t)(left / SECOND),
				    .tv_nsec = (long)(left % SECOND) };
	bool idle = s->state.paused || s->ended;

	if (ppoll(polled, TM_ARRAY_SIZE(polled), idle ? NULL : &timeout, signals) <= 0)
		return;
	if (polled[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		s->leave = true; /* the terminal has gone */
	if (polled[1].revents)
		top_source_drain(&s->top->source);
	s->drained = polled[1].revents && !polled[0].revents;
}

static int loop(struct screen *s, const sigset_t *signals, struct tm_error *err)
{
	uint64_t shown = 0;
	int rc = 0, key;

	s->next_ns = clock_now();
	while (!rc && !s->leave && !caught) {
		const struct tm_sample *was = s->top->now;
		bool had = s->top->has_now;

		rc = sample(s, err);
		shown += had && was != s->top->now;
		if (!rc && !(s->drained && was == s->top->now))
			rc = redraw(s, err);
		s->drained = false;
		if (s->top->count && shown >= s->top->count)
			break;
		if (rc)
			break;
		wait_for_something(s, signals);
		while ((key = s->curses.wgetch(*s->curses.screen)) != ERR)
			handle_key(s, key);
	}
	return rc;
}

/* Why there are no counts of flushes, in few words, and what can be done. */
static void explain_flushes(struct top_state *state, const struct top_source *source)
{
	struct tm_error err = { 0 };
	const char *last;

	if (!top_source_flush_error(source, &err))
		return;
	/* "what: why" */
	last = strrchr(err.text, ':');
	snprintf(state->flush_error, sizeof(state->flush_error), "%.79s",
		 last && last[1] == ' ' ? last + 2 : err.text);
	snprintf(state->flush_hint, sizeof(state->flush_hint), "%s", err.hint);
}

int top_screen(struct top *top)
{
	struct screen s = { .top = top };
	struct sigaction old[TM_ARRAY_SIZE(endings)], kept[TM_ARRAY_SIZE(others)],
		action = { .sa_handler = catch };
	struct tm_error err = { 0 };
	sigset_t blocked, before;
	int rc = 0, code;

	s.state.interval_ns = top->interval_ns;
	s.state.replay = top->source.recording != NULL;
	s.state.recording = top->recorder.fd >= 0 ? top->recorder.name : NULL;
	if (s.state.replay)
		s.state.interval_ns = 0;
	if (s.state.replay && !top->as_recorded)
		s.state.pace_ns = top->interval_ns;
	if (!app_option(top->app, "processes"))
		s.state.hidden = 1u << PANEL_PROCESSES;
	explain_flushes(&s.state, &top->source);
	/* They come in while it waits, and then the terminal is put right before it ends. */
	caught = 0;
	sigemptyset(&blocked);
	for (size_t i = 0; i < TM_ARRAY_SIZE(endings); i++) {
		sigaddset(&blocked, endings[i]);
		sigaction(endings[i], &action, &old[i]);
	}
	for (size_t i = 0; i < TM_ARRAY_SIZE(others); i++) {
		sigaddset(&blocked, others[i]);
		sigaction(others[i], NULL, &kept[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, &before);
	code = open_screen(&s);
	if (code == EXIT_DONE)
		rc = loop(&s, &before, &err);
	close_screen(&s);
	for (size_t i = 0; i < TM_ARRAY_SIZE(endings); i++)
		sigaction(endings[i], &old[i], NULL);
	for (size_t i = 0; i < TM_ARRAY_SIZE(others); i++)
		sigaction(others[i], &kept[i], NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (caught)
		raise(caught);
	return rc ? report(top->app, EXIT_FAILED, &err) : code;
}
