/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/model/thp-boot-state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/nearest.h"
#include "lib/base/units.h"

/* A word about huge pages while it is looked at. */
struct parser {
	const struct tm_thp_kernel *kernel;
	struct tm_thp_boot *boot;
	bool sided[2];	    /* sizes were named for this side: the others are "never" */
	struct tm_buf says; /* about the word at hand */
};

const char *tm_thp_fate_name(enum tm_thp_fate fate)
{
	static const char *const names[] = {
		[TM_THP_TAKEN] = "taken",
		[TM_THP_IGNORED] = "ignored",
		[TM_THP_UNKNOWN] = "unknown",
	};

	return names[fate];
}

void tm_thp_boot_release(struct tm_thp_boot *boot)
{
	for (size_t i = 0; i < boot->nr; i++) {
		free(boot->words[i].word);
		free(boot->words[i].says);
	}
	free(boot->words);
	tm_thp_boot_state_release(&boot->state);
	*boot = (struct tm_thp_boot){ 0 };
}

static const char **side_of(struct tm_thp_boot_size *size, enum tm_thp_side side)
{
	return side == TM_THP_ANON ? &size->enabled : &size->shmem;
}

/* --- numbers and sizes, as the kernel's memparse() reads them --- */

static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* Base by its prefix, no check for overflow, and what follows the unit is not looked at. */
static uint64_t memparse(const char *text, const char **end)
{
	static const char units[] = "kmgtpe";
	unsigned base = 10;
	uint64_t value = 0;
	const char *unit;

	if (text[0] == '0') {
		base = 8;
		if ((text[1] | 0x20) == 'x' && digit_of(text[2]) < 16) {
			base = 16;
			text += 2;
		}
	}
	for (; digit_of(*text) < base; text++)
		value = value * base + digit_of(*text);
	unit = *text ? strchr(units, *text | 0x20) : NULL;
	if (unit) {
		value <<= 10 * (unit - units + 1);
		text++;
	}
	*end = text;
	return value;
}

/* The index of a size that the kernel has for this side, or -1 with the reason in says. */
static int find_size(struct parser *p, enum tm_thp_side side, const char *text)
{
	const struct tm_thp_boot_state *state = &p->boot->state;
	const char *end, *what = side == TM_THP_ANON ? "anonymous" : "shared";
	uint64_t bytes = memparse(text, &end);

	if (!bytes) {
		tm_buf_addf(&p->says, "'%s' is no size", text);
		return -1;
	}
	if (bytes & (bytes - 1)) {
		tm_buf_addf(&p->says, "'%s' is no power of two", text);
		return -1;
	}
	for (size_t i = 0; i < state->nr_sizes; i++)
		if ((uint64_t)state->sizes[i].kib << 10 == bytes &&
		    tm_thp_said(&state->sizes[i], side))
			return (int)i;
	tm_buf_addf(&p->says, "this kernel has no size '%s' for %s memory", text, what);
	return -1;
}

/* --- thp_anon= and thp_shmem= --- */

static const char *find_word(const char *const *words, const char *word)
{
	for (; *words; words++)
		if (!strcmp(*words, word))
			return *words;
	return NULL;
}

static void add_words(struct tm_buf *buf, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		tm_buf_addf(buf, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

/* Sets the sizes of one list in `made`. The order of the checks is the kernel's. */
static bool set_list(struct parser *p, enum tm_thp_side side, char *list, const char *policy,
		     const char **made)
{
	const char *const *policies = tm_thp_policies[side];
	char *item;

	while ((item = strsep(&list, ","))) {
		char *range = item, *from = strchr(item, '-') ? strsep(&range, "-") : item;
		int start = find_size(p, side, from), end;
		const char *word;

		if (start < 0)
			return false;
		end = from == range ? start : find_size(p, side, range);
		if (end < 0)
			return false;
		if (start > end) {
			tm_buf_addf(&p->says, "the range %s-%s runs backwards", from, range);
			return false;
		}
		word = find_word(policies, policy);
		if (!word) {
			tm_buf_addf(&p->says, "'%s' is no policy: it takes ", policy);
			add_words(&p->says, policies);
			return false;
		}
		for (int i = start; i <= end; i++)
			if (tm_thp_said(&p->boot->state.sizes[i], side))
				made[i] = word;
	}
	return true;
}

static void say_sizes(struct parser *p, enum tm_thp_side side, const char *const *made)
{
	const char *const *policies = tm_thp_policies[side];
	const struct tm_thp_boot_state *state = &p->boot->state;

	for (; *policies; policies++) {
		struct tm_buf list = TM_BUF_INIT;

		if (tm_thp_add_ranges(&list, state->sizes, state->nr_sizes, made, *policies))
			tm_buf_addf(&p->says, "%s%s: %s", p->says.len ? "; " : "",
				    tm_buf_str(&list), *policies);
		tm_buf_release(&list);
	}
	if (!p->sided[side])
		tm_buf_adds(&p->says, "; every size that is not named: never");
}

static int per_size(struct parser *p, enum tm_thp_side side, const char *value)
{
	struct tm_thp_boot_state *state = &p->boot->state;
	const char **made = calloc(state->nr_sizes + 1, sizeof(*made));
	char *copy = strdup(value), *rest = copy, *token;
	bool good = true;

	if (!made || !copy) {
		free(made);
		free(copy);
		return -ENOMEM;
	}
	while (good && (token = strsep(&rest, ";"))) {
		char *policy = token, *list = strsep(&policy, ":");

		if (!policy)
			tm_buf_addf(&p->says, "'%s' has no ':' and policy", list);
		good = policy && set_list(p, side, list, policy, made);
	}
	if (good) {
		say_sizes(p, side, made);
		for (size_t i = 0; i < state->nr_sizes; i++) {
			const char **word = side_of(&state->sizes[i], side);

			if (made[i])
				*word = made[i];
			else if (*word && !p->sided[side])
				*word = "never";
		}
		p->sided[side] = true;
	} else {
		tm_buf_adds(&p->says, "; the whole word is ignored");
	}
	free(made);
	free(copy);
	return good ? TM_THP_TAKEN : TM_THP_IGNORED;
}

static int thp_anon(struct parser *p, const char *value)
{
	return per_size(p, TM_THP_ANON, value);
}

static int thp_shmem(struct parser *p, const char *value)
{
	return per_size(p, TM_THP_SHMEM, value);
}

/* --- the words for all sizes --- */

static int refuse(struct parser *p, const char *value, const char *const *words)
{
	tm_buf_addf(&p->says, "'%s' is no value for it: it takes ", value);
	add_words(&p->says, words);
	return TM_THP_IGNORED;
}

static int for_anon(struct parser *p, const char *value)
{
	static const char *const words[] = { "always", "madvise", "never", NULL };
	const char *word = find_word(words, value);

	if (!word)
		return refuse(p, value, words);
	p->boot->state.enabled = word;
	tm_buf_addf(&p->says, "anonymous memory of the sizes that inherit: %s", word);
	if (tm_thp_little_memory(p->kernel))
		tm_buf_adds(&p->says, "; but a kernel with less than 512 MiB starts with never");
	return TM_THP_TAKEN;
}

/*
 * At that time no size inherits yet, unless thp_shmem= came first: only then "force" passes. In the
 * end both it and "deny" become "never", as the kernel starts its own tmpfs.
 */
static bool force_passes(const struct parser *p)
{
	const struct tm_thp_boot_state *state = &p->boot->state;
	long pmd = tm_thp_pmd(p->kernel->thp, state);
	bool passes = false;

	for (size_t i = 0; p->sided[TM_THP_SHMEM] && i < state->nr_sizes; i++) {
		bool inherits = state->sizes[i].shmem && !strcmp(state->sizes[i].shmem, "inherit");

		if (inherits && state->sizes[i].kib != pmd)
			return false;
		passes |= inherits;
	}
	return passes;
}

static int for_shmem(struct parser *p, const char *value)
{
	static const char *const words[] = { "always", "within_size", "advise", "never",
					     "deny",   "force",	      NULL };
	const char *word = find_word(words, value);

	if (!word)
		return refuse(p, value, words);
	if (!strcmp(word, "force") && !force_passes(p)) {
		tm_buf_adds(&p->says, "'force' is refused unless thp_shmem= before it lets the PMD "
				      "size inherit, and no other");
		return TM_THP_IGNORED;
	}
	if (!strcmp(word, "force") || !strcmp(word, "deny")) {
		p->boot->state.shmem = "never";
		tm_buf_addf(&p->says, "'%s' cannot be had at boot: the kernel starts with never",
			    word);
		return TM_THP_IGNORED;
	}
	p->boot->state.shmem = word;
	tm_buf_addf(&p->says, "shared memory of the sizes that inherit: %s", word);
	return TM_THP_TAKEN;
}

static int for_tmpfs(struct parser *p, const char *value)
{
	static const char *const words[] = { "always", "within_size", "advise", "never", NULL };

	if (!find_word(words, value))
		return refuse(p, value, words);
	tm_buf_addf(&p->says, "tmpfs that is mounted without huge=: %s", value);
	return TM_THP_TAKEN;
}

/* --- the line --- */

static const struct {
	const char *name;
	unsigned since;
	const char *release;
	int (*parse)(struct parser *p, const char *value); /* a fate or -ENOMEM */
} names[] = {
	{ "transparent_hugepage", 0, NULL, for_anon },
	{ "thp_anon", TM_THP_VERSION(6, 12), "6.12", thp_anon },
	{ "transparent_hugepage_shmem", TM_THP_VERSION(6, 13), "6.13", for_shmem },
	{ "thp_shmem", TM_THP_VERSION(6, 13), "6.13", thp_shmem },
	{ "transparent_hugepage_tmpfs", TM_THP_VERSION(6, 14), "6.14", for_tmpfs },
};

/* The kernel takes '-' for '_' in names. */
static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !(*a == '-' && *b == '_'))
			return false;
	return *a == *b;
}

/* A name that somebody may have meant for one of ours. */
static bool looks_alike(const char *name)
{
	return !strncmp(name, "thp", 3) || !strncmp(name, "transparent", 11);
}

static int unknown_name(struct parser *p, const char *name, const char *value)
{
	struct tm_nearest nearest = { .word = name, .len = strlen(name) };

	for (size_t i = 0; i < TM_ARRAY_SIZE(names); i++)
		tm_nearest_try(&nearest, names[i].name);
	tm_buf_adds(&p->says, "the kernel knows no such word, and hands it to init");
	if (!value && nearest.best)
		tm_buf_addf(&p->says, "; did you mean %s=VALUE?", nearest.best);
	else if (nearest.best)
		tm_buf_addf(&p->says, "; did you mean %s=?", nearest.best);
	return TM_THP_UNKNOWN;
}

static int judge(struct parser *p, const char *name, const char *value)
{
	for (size_t i = 0; value && i < TM_ARRAY_SIZE(names); i++) {
		if (!same_name(name, names[i].name))
			continue;
		if (p->kernel->version && p->kernel->version < names[i].since) {
			tm_buf_addf(&p->says,
				    "this kernel has no such word: it comes with Linux %s",
				    names[i].release);
			return TM_THP_UNKNOWN;
		}
		return names[i].parse(p, value);
	}
	return looks_alike(name) ? unknown_name(p, name, value) : -ENOENT;
}

static int add_word(struct parser *p, const char *name, const char *value)
{
	struct tm_thp_boot *boot = p->boot;
	struct tm_buf word = TM_BUF_INIT;
	int fate;

	tm_buf_reset(&p->says);
	fate = judge(p, name, value);
	if (fate == -ENOENT)
		return 0;
	if (fate < 0 || tm_array_grow(&boot->words, boot->nr, &boot->cap, sizeof(*boot->words)))
		return -ENOMEM;
	tm_buf_adds(&word, name);
	if (value)
		tm_buf_addf(&word, "=%s", value);
	boot->words[boot->nr++] = (struct tm_thp_word){
		.word = tm_buf_detach(&word),
		.fate = (enum tm_thp_fate)fate,
		.says = tm_buf_detach(&p->says),
	};
	return boot->words[boot->nr - 1].word && boot->words[boot->nr - 1].says ? 0 : -ENOMEM;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == '\xa0';
}

/*
 * Takes the next word off *line, as the kernel's next_arg() does: blanks part words, but not inside
 * double quotes, and quotes around the value or the whole word are taken away.
 */
static void next_word(char **line, char **name, char **value)
{
	char *at = *line, *equals = NULL;
	bool quoted = *at == '"', inside = quoted;

	at += quoted;
	*name = at;
	for (; *at && (inside || !is_blank(*at)); at++) {
		if (*at == '=' && !equals && at != *name)
			equals = at;
		if (*at == '"')
			inside = !inside;
	}
	*line = at;
	if (*at)
		*(*line)++ = '\0';
	if (equals) {
		*equals++ = '\0';
		if (*equals == '"') {
			equals++;
			if (at > equals && at[-1] == '"')
				at[-1] = '\0';
		}
	}
	*value = equals;
	if (quoted && at > *name && at[-1] == '"')
		at[-1] = '\0';
	while (**line && is_blank(**line))
		(*line)++;
}

int tm_thp_boot_explain(const struct tm_thp_kernel *kernel, const char *line,
			struct tm_thp_boot *boot, struct tm_error *err)
{
	struct tm_thp_boot made = { 0 };
	struct parser p = { .kernel = kernel, .boot = &made, .says = TM_BUF_INIT };
	char *copy = strdup(line), *rest = copy;
	int rc = copy ? tm_thp_boot_start(kernel, &made.state) : -ENOMEM;

	while (rest && *rest && is_blank(*rest))
		rest++;
	while (!rc && *rest) {
		char *name, *value;

		next_word(&rest, &name, &value);
		/* What follows is for init. */
		if (!value && !strcmp(name, "--"))
			break;
		rc = add_word(&p, name, value);
	}
	if (!rc && tm_thp_little_memory(kernel))
		made.state.enabled = "never";
	free(copy);
	tm_buf_release(&p.says);
	if (rc) {
		tm_thp_boot_release(&made);
		return tm_error_nomem(err);
	}
	*boot = made;
	return 0;
}
