/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stress THREADS ROUNDS SIZE: allocates, grows, shrinks and frees in several threads, blocks change
 * hands between them, and others fork meanwhile; sizes are around SIZE. Every byte of every block
 * is known and looked at; so are zeroes of calloc, alignments and usable sizes.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS 64

struct block {
	unsigned char *p;
	size_t len;
	unsigned char mark;
};

static struct block slots[SLOTS];
static pthread_mutex_t locks[SLOTS];
static size_t middle;
static unsigned long rounds;

static void check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "stress: %s\n", what);
	_exit(1);
}

static unsigned next_random(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Half of them large, some just at the border. */
static size_t random_size(unsigned *state)
{
	switch (next_random(state) % 8) {
	case 0:
		return middle;
	case 1:
		return middle - 1;
	case 2:
	case 3:
		return middle + next_random(state) % (3 * middle);
	case 4:
		return middle / 2 + next_random(state) % middle;
	default:
		return 1 + next_random(state) % 5000;
	}
}

static void check_filled(const struct block *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		check(b->p[i] == b->mark, "a byte is not what was written");
}

static void fill(struct block *b, unsigned *state)
{
	check(malloc_usable_size(b->p) >= b->len, "the usable size is too small");
	b->mark = (unsigned char)next_random(state);
	memset(b->p, b->mark, b->len);
}

static void allocate(struct block *b, unsigned *state)
{
	size_t alignment = (size_t)16 << next_random(state) % 12;

	b->len = random_size(state);
	switch (next_random(state) % 4) {
	case 0:
		b->p = calloc(1, b->len);
		check(b->p != NULL, "no memory");
		for (size_t i = 0; i < b->len; i++)
			check(!b->p[i], "calloc's memory is not zero");
		break;
	case 1:
		check(!posix_memalign((void **)&b->p, alignment, b->len), "no aligned memory");
		check(!((uintptr_t)b->p % alignment), "it is not aligned");
		break;
	default:
		b->p = malloc(b->len);
		check(b->p != NULL, "no memory");
		check(!((uintptr_t)b->p % 16), "malloc does not align");
	}
	fill(b, state);
}

static void resize(struct block *b, unsigned *state)
{
	size_t len = random_size(state), kept = len < b->len ? len : b->len;

	b->p = realloc(b->p, len);
	check(b->p != NULL, "realloc fails");
	check_filled(b, kept);
	b->len = len;
	fill(b, state);
}

/* A child of a process with threads may allocate at once. */
static void in_child(unsigned *state)
{
	pid_t pid = fork();
	int status;

	check(pid >= 0, "fork fails");
	if (!pid) {
		struct block b = { 0 };

		allocate(&b, state);
		resize(&b, state);
		free(b.p);
		_exit(0);
	}
	check(waitpid(pid, &status, 0) == pid && !status, "a child fails");
}

static void *work(void *seed)
{
	unsigned state = (unsigned)(uintptr_t)seed;

	for (unsigned long i = 0; i < rounds; i++) {
		unsigned at = next_random(&state) % SLOTS;
		struct block *b = &slots[at];

		pthread_mutex_lock(&locks[at]);
		if (b->p)
			check_filled(b, b->len);
		if (!b->p) {
			allocate(b, &state);
		} else if (next_random(&state) % 2) {
			resize(b, &state);
		} else {
			errno = 1234;
			free(b->p);
			check(errno == 1234, "free changes errno");
			b->p = NULL;
			free(b->p);
		}
		pthread_mutex_unlock(&locks[at]);
		if (!(next_random(&state) % 64))
			in_child(&state);
	}
	return NULL;
}

/* What must fail, and how. */
static void check_limits(void)
{
	/* Not known to the compiler, which would warn. */
	volatile size_t huge = SIZE_MAX / 2 + 2, most = SIZE_MAX;
	void *(*volatile grow_array)(void *, size_t, size_t) = reallocarray;
	void *(*volatile grow)(void *, size_t) = realloc;
	void *p = malloc(middle), *q;

	errno = 0;
	check(!malloc(huge) && errno == ENOMEM, "malloc of too much");
	check(!malloc(most), "malloc of most");
	errno = 0;
	check(!calloc(huge, 2) && errno == ENOMEM, "calloc overflows");
	errno = 0;
	check(!grow_array(p, huge, 2) && errno == ENOMEM, "reallocarray overflows");
	errno = 0;
	check(!grow(p, huge) && errno == ENOMEM, "realloc to too much");
	memset(p, 1, middle);
	check(posix_memalign(&q, 24, middle) == EINVAL, "a bad alignment");
	check(!grow(p, 0), "realloc to nothing frees");
	check(malloc_usable_size(NULL) == 0, "usable size of nothing");
	free(NULL);
}

int main(int argc, char **argv)
{
	unsigned long threads = argc > 3 ? strtoul(argv[1], NULL, 0) : 0;
	pthread_t *list;

	if (!threads)
		return 2;
	rounds = strtoul(argv[2], NULL, 0);
	middle = strtoull(argv[3], NULL, 0);
	list = calloc(threads, sizeof(*list));
	check_limits();
	for (int i = 0; i < SLOTS; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (unsigned long i = 0; i < threads; i++)
		check(!pthread_create(&list[i], NULL, work, (void *)(i + 1)), "no thread");
	for (unsigned long i = 0; i < threads; i++)
		pthread_join(list[i], NULL);
	for (int i = 0; i < SLOTS; i++) {
		if (slots[i].p)
			check_filled(&slots[i], slots[i].len);
		free(slots[i].p);
	}
	free(list);
	puts("sound");
	return 0;
}
