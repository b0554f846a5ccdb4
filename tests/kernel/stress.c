// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moves memory between two nodes while it is written, forked, protected, unmapped, swapped out,
 * merged, taken offline and used again, and checks what it reads meanwhile. For a test machine: it
 * runs as root, and takes memory offline.
 *
 *	stress [--seconds N] [--seed N] [--actors LIST] [--nodes A,B]
 *
 * Exits 1 at the first word that must not be there, and says which; 0 after N seconds, with what
 * was done; 2 if it could not run.
 *
 * What it is after is a CPU that reads on by a TLB entry that should have been flushed. So readers
 * spin on CPUs of their own, the upper half of the machine's: a software emulation keeps an entry
 * until it is flushed, or evicted, or something else runs on that CPU. All others run on the lower
 * half.
 *
 * Every actor has a region of its own, whose words say which page they belong to, and which
 * generation of it. It changes them again and again in its own way, each time after the pages were
 * moved while they were read-only and in the readers' TLBs. They take turns, and then all of
 * them run at once, with others in the background.
 *
 * Ordering. Of each page, `started` is the last generation whose writing has begun, `published`
 * the last that is complete:
 *
 *	writer: started = g; release fence; words; published = g (release)
 *	reader: low = published (acquire); word; acquire fence; high = started
 *
 * A reader that loads low sees words of that generation or newer ones, as they were written
 * before. If the word is of generation g, the load of `started` yields g or more. So its
 * generation is within low and high, whatever happens in between, and in both ways the kernel's
 * part is to keep memory coherent. The kernel writes what goes through /proc/PID/mem, and clears
 * what is MADV_DONTNEED: for the actor between the same stores, in program order, which x86 keeps.
 * Words hold 8 bits of the generation, so that byte-wise copies cannot tear them; where low and
 * high are 256 or more apart, only the page is checked.
 *
 * settle() waits until every reader has gone through all pages once, from its start: for entries
 * to be there, or for stale ones to be used. CLOSED in `published` keeps readers away; after
 * settle() nobody is at the region. See there.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define PAGE_WORDS (PAGE / 8)
/* Few enough for a TLB to hold them all. */
#define PAGES 64
#define MAX_READERS 8
#define OWN_WORDS 8
#define CLOSED 0x80000000u
#define MAGIC 0xa5ull
/* Below where the kernel places mappings: a region that is unmapped for a while stays free. */
#define REGIONS_AT 0x100000000000ull
#define REGIONS_APART 0x10000000ull
#define AWAY 0x8000000ull
#define CHURN_KIND 0xff
#define CHILD_KIND 0xfe
#define CHURNERS 2
#define TURN_MS 1000
#define LONG_TURNS 4 /* of those that leave more to chance */
#define MAX_BLOCKS 1024
#define EVERYONE -1

enum turns {
	DIRECTED,   /* has a turn of its own */
	TOGETHER,   /* and needs the migrator in it */
	BACKGROUND, /* runs when everyone does */
};

struct page_state {
	_Atomic uint32_t started, published;
};

struct actor {
	const char *name;
	void (*step)(struct actor *);
	enum turns turns;
	bool has_region;
	int prot;    /* of the region between steps */
	bool zeroes; /* even generations are of zeroes */
	bool alike;  /* all pages have the same words */
	bool absent; /* not on this kernel, or not asked for */
	unsigned kind;
	volatile uint64_t *at;
	int node; /* where its pages were moved last: 0 or 1, of nodes[] */
	uint64_t random;
	pthread_t thread;
};

/* Also for the children. */
static struct shared {
	_Atomic int turn;
	_Atomic bool stop, readers_stop;
	_Atomic unsigned long passes[MAX_READERS];
	_Atomic unsigned long count[32];
	_Atomic unsigned long moved;
	_Atomic uint32_t child_may_end;
	struct page_state pages[32][PAGES];
} * shared;

static int nodes[2] = { 0, 1 };
static unsigned nr_readers;
static cpu_set_t working_cpus;
static int first_reader_cpu;
static int memory_fd, uffd = -1;
static uint64_t seed = 1;

static void migrate_step(struct actor *a);
static void churn_step(struct actor *a);
static void switch_step(struct actor *a);
static void offline_step(struct actor *a);
static void sweep_step(struct actor *a);
static void fork_step(struct actor *a);
static void force_step(struct actor *a);
static void protect_step(struct actor *a);
static void own_step(struct actor *a);
static void child_step(struct actor *a);
static void remap_step(struct actor *a);
static void zero_step(struct actor *a);
static void move_step(struct actor *a);
static void swap_step(struct actor *a);
static void merge_step(struct actor *a);
static void wp_step(struct actor *a);

#define REGION .has_region = true, .prot
#define BOTH (PROT_READ | PROT_WRITE)

static struct actor actors[] = {
	{ .name = "sweep", .step = sweep_step, REGION = PROT_READ },
	{ .name = "fork", .step = fork_step, REGION = BOTH },
	{ .name = "force", .step = force_step, REGION = PROT_READ },
	{ .name = "protect", .step = protect_step, REGION = PROT_READ },
	{ .name = "own", .step = own_step, .turns = TOGETHER, REGION = BOTH },
	{ .name = "child", .step = child_step, REGION = BOTH },
	{ .name = "remap", .step = remap_step, REGION = PROT_READ },
	{ .name = "zero", .step = zero_step, REGION = PROT_READ, .zeroes = true },
	{ .name = "move", .step = move_step, REGION = PROT_READ },
	{ .name = "swap", .step = swap_step, REGION = PROT_READ },
	{ .name = "merge", .step = merge_step, REGION = BOTH, .alike = true },
	{ .name = "wp", .step = wp_step, REGION = BOTH },
	{ .name = "offline", .step = offline_step, REGION = PROT_READ },
	{ .name = "migrate", .step = migrate_step, .turns = BACKGROUND },
	{ .name = "switch", .step = switch_step, .turns = BACKGROUND },
	{ .name = "churn", .step = churn_step, .turns = BACKGROUND },
};

#define NR_ACTORS (sizeof(actors) / sizeof(actors[0]))
#define ACTOR(which) (&actors[actor_named(which)])

_Static_assert(NR_ACTORS <= 32, "shared has not enough room");

/* ---- small things */

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[512];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* At once and whole, by threads and children alike. */
	if (write(STDOUT_FILENO, line, length) != length)
		_exit(2);
}

__attribute__((noreturn)) static void cannot(const char *what)
{
	say("stress: %s: %s\n", what, strerror(errno));
	_exit(2);
}

static size_t actor_named(const char *name)
{
	size_t n;

	for (n = 0; n < NR_ACTORS && strcmp(actors[n].name, name) != 0; n++)
		;
	return n;
}

static uint64_t random_of(struct actor *a)
{
	a->random ^= a->random << 13;
	a->random ^= a->random >> 7;
	a->random ^= a->random << 17;
	return a->random >> 11;
}

static void nap(unsigned us)
{
	nanosleep(&(struct timespec){ .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 },
		  NULL);
}

static void count(struct actor *a, unsigned long steps)
{
	atomic_fetch_add(&shared->count[a - actors], steps);
}

static bool is_active(const struct actor *a)
{
	int turn = atomic_load(&shared->turn);

	if (a->absent)
		return false;
	if (turn == EVERYONE || turn == a - actors)
		return true;
	return a->step == migrate_step && actors[turn].turns == TOGETHER;
}

static struct page_state *state_of(const struct actor *a, unsigned page)
{
	return &shared->pages[a - actors][page];
}

static volatile uint64_t *address_of(const struct actor *a, unsigned page)
{
	return a->at + page * PAGE_WORDS;
}

static uint64_t word_of(unsigned kind, unsigned page, uint32_t generation)
{
	return MAGIC << 56 | (uint64_t)kind << 40 | page << 8 | (generation & 0xff);
}

static uint64_t actors_word(const struct actor *a, unsigned page, uint32_t generation)
{
	if (a->zeroes && generation % 2 == 0)
		return 0;
	return word_of(a->kind, a->alike ? 0 : page, generation);
}

/* ---- what is wrong */

static const char *kind_name(unsigned kind)
{
	if (kind == CHURN_KIND)
		return "churn";
	if (kind == CHILD_KIND)
		return "a child";
	return kind > 0 && kind <= NR_ACTORS ? actors[kind - 1].name : "nobody";
}

__attribute__((noreturn)) static void mismatch(const char *who, unsigned page,
					       volatile uint64_t *at, uint64_t low, uint64_t high,
					       uint64_t seen)
{
	int turn = atomic_load(&shared->turn);
	uint64_t again = *at, mapped = 0;
	int fd = open("/proc/self/mem", O_RDONLY);

	/* What is there, not by this CPU's TLB. */
	if (pread(fd, &mapped, 8, (off_t)(uintptr_t)at) != 8)
		mapped = 0;
	say("stress: MISMATCH: %s, page %u at %p, CPU %d, turn of %s: "
	    "expected %#llx to %#llx, seen %#llx (%s), then %#llx; "
	    "mapped is %#llx\n",
	    who, page, (void *)at, sched_getcpu(),
	    turn == EVERYONE ? "everyone" : actors[turn].name, (unsigned long long)low,
	    (unsigned long long)high, (unsigned long long)seen,
	    seen == 0		? "zero" :
	    seen >> 56 == MAGIC ? kind_name(seen >> 40 & 0xffff) :
				  "no word of ours",
	    (unsigned long long)again, (unsigned long long)mapped);
	_exit(1);
}

static void expect(const char *who, unsigned page, volatile uint64_t *at, uint64_t wanted)
{
	uint64_t seen = *at;

	if (seen != wanted)
		mismatch(who, page, at, wanted, wanted, seen);
}

static bool is_right(const struct actor *a, unsigned page, uint64_t seen, uint32_t low,
		     uint32_t high)
{
	uint32_t generation;

	if (seen == 0)
		return a->zeroes && (high - low > 0 || low % 2 == 0);
	if ((seen ^ actors_word(a, page, 1)) >> 8 != 0)
		return false;
	if (high - low > 255)
		return true;
	generation = low + (uint8_t)(seen - low);
	return generation <= high && !(a->zeroes && generation % 2 == 0);
}

static void check(const struct actor *a, unsigned page, unsigned word)
{
	struct page_state *state = state_of(a, page);
	volatile uint64_t *at = address_of(a, page) + word;
	uint32_t low = atomic_load_explicit(&state->published, memory_order_acquire), high;
	uint64_t seen;

	if (low & CLOSED)
		return;
	seen = *at;
	atomic_thread_fence(memory_order_acquire);
	high = atomic_load_explicit(&state->started, memory_order_relaxed);
	if (!is_right(a, page, seen, low, high))
		mismatch(a->name, page, at, actors_word(a, page, low), actors_word(a, page, high),
			 seen);
}

/* ---- readers */

/*
 * Some of the pages of "own" belong to each reader, which is the only one to write them, and by
 * entries that are writable as long as its CPU is not told otherwise: whatever it wrote must be
 * there.
 */
static void write_own(struct actor *own, unsigned first, unsigned last, uint32_t *generation)
{
	unsigned page, word;

	for (page = first; page < last; page++) {
		volatile uint64_t *at = address_of(own, page);

		for (word = 0; word < OWN_WORDS; word++) {
			expect(own->name, page, at + word, actors_word(own, page, *generation));
			at[word] = actors_word(own, page, *generation + 1);
		}
	}
	++*generation;
}

static void *reader(void *arg)
{
	unsigned id = (uintptr_t)arg, page, word, each = PAGES / nr_readers;
	struct actor *own = ACTOR("own"), *a;
	uint32_t generation = 1;
	unsigned long pass;
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(first_reader_cpu + id, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		cannot("a CPU for a reader");
	for (pass = 1; !atomic_load_explicit(&shared->readers_stop, memory_order_relaxed); pass++) {
		for (a = actors; a < actors + NR_ACTORS; a++) {
			if (!a->has_region || a == own || !is_active(a))
				continue;
			for (page = 0; page < PAGES; page++) {
				check(a, page, (pass + page) % PAGE_WORDS);
				/* All of one page each time. */
				for (word = 0; page == pass % PAGES && word < PAGE_WORDS; word++)
					check(a, page, word);
			}
		}
		if (is_active(own))
			write_own(own, id * each, (id + 1) * each, &generation);
		atomic_store_explicit(&shared->passes[id], pass, memory_order_release);
		/* The next pass reads nothing before others see that this one is over. */
		atomic_thread_fence(memory_order_seq_cst);
	}
	return NULL;
}

/*
 * Whoever set CLOSED and then read `passes` as n, with a fence in between as the reader has one
 * the other way round, knows that the passes after the one that ends with n + 1 have CLOSED, and
 * that n + 1 is stored when all before are over. One pass more and all pages were read with
 * whatever else was stored before.
 */
static void settle(void)
{
	unsigned id;

	atomic_thread_fence(memory_order_seq_cst);
	for (id = 0; id < nr_readers; id++) {
		unsigned long from = atomic_load(&shared->passes[id]);

		while (atomic_load_explicit(&shared->passes[id], memory_order_acquire) - from < 2)
			nap(50);
	}
}

/* ---- what actors do with their regions */

static void open_page(struct actor *a, unsigned page)
{
	struct page_state *state = state_of(a, page);

	atomic_store_explicit(&state->published, atomic_load(&state->started),
			      memory_order_release);
}

static void close_all(struct actor *a)
{
	unsigned page;

	for (page = 0; page < PAGES; page++)
		atomic_fetch_or(&state_of(a, page)->published, CLOSED);
	settle();
}

static void open_all(struct actor *a)
{
	unsigned page;

	for (page = 0; page < PAGES; page++)
		open_page(a, page);
}

/* The word that the page is to be full of next. */
static uint64_t start_page(struct actor *a, unsigned page)
{
	struct page_state *state = state_of(a, page);
	uint32_t generation = atomic_load_explicit(&state->started, memory_order_relaxed) + 1;

	atomic_store_explicit(&state->started, generation, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	return actors_word(a, page, generation);
}

static void fill(volatile uint64_t *at, uint64_t word)
{
	unsigned n;

	for (n = 0; n < PAGE_WORDS; n++)
		at[n] = word;
}

/*
 * New memory is empty. It is written first: reading would bring the page of zeroes that all share,
 * and writing then a flush that this is to do without.
 */
static void fill_fresh(volatile uint64_t *at, unsigned page, uint64_t word)
{
	unsigned n;

	at[0] = word;
	for (n = 1; n < PAGE_WORDS; n++)
		expect("new memory", page, at + n, 0);
	fill(at, word);
}

static void write_page(struct actor *a, unsigned page)
{
	fill(address_of(a, page), start_page(a, page));
	open_page(a, page);
}

static void write_all(struct actor *a)
{
	unsigned page;

	for (page = 0; page < PAGES; page++)
		write_page(a, page);
}

static void protect(struct actor *a, int prot)
{
	if (mprotect((void *)a->at, PAGES * PAGE, prot))
		cannot("mprotect");
}

static long move_pages(struct actor *a, unsigned first, unsigned nr, int node, unsigned batch)
{
	void *pages[PAGES];
	int wanted[PAGES], status[PAGES];
	unsigned n, done;
	long moved = 0;

	for (n = 0; n < nr; n++) {
		pages[n] = (void *)address_of(a, first + n);
		wanted[n] = node;
		status[n] = -EINVAL;
	}
	for (done = 0; done < nr; done += batch) {
		if (batch > nr - done)
			batch = nr - done;
		syscall(SYS_move_pages, 0, (unsigned long)batch, pages + done, wanted + done,
			status + done, MPOL_MF_MOVE_ALL);
	}
	for (n = 0; n < nr; n++)
		moved += status[n] == node;
	atomic_fetch_add(&shared->moved, moved);
	return moved;
}

/*
 * All in one call: each begins with work for kernel threads on every CPU, after which an emulated
 * CPU's TLB is empty. By the time that the first page is unmapped, readers have filled it again.
 */
static void move_region(struct actor *a)
{
	settle();
	a->node = !a->node;
	move_pages(a, 0, PAGES, nodes[a->node], PAGES);
}

static void map(struct actor *a)
{
	bool huge = random_of(a) % 4 == 0 && !a->alike;

	if (mmap((void *)a->at, PAGES * PAGE, BOTH, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) != a->at)
		cannot("mmap");
	/* Some with pages of several sizes, where the kernel is told to. */
	madvise((void *)a->at, PAGES * PAGE, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	if (a->alike)
		madvise((void *)a->at, PAGES * PAGE, MADV_MERGEABLE);
	if (a->step == wp_step) {
		struct uffdio_register with = {
			.range = { .start = (uintptr_t)a->at, .len = PAGES * PAGE },
			.mode = UFFDIO_REGISTER_MODE_WP,
		};

		if (ioctl(uffd, UFFDIO_REGISTER, &with))
			cannot("UFFDIO_REGISTER");
	}
}

static void fill_new(struct actor *a)
{
	unsigned page;

	for (page = 0; page < PAGES; page++) {
		if (a->zeroes && atomic_load(&state_of(a, page)->started) % 2)
			start_page(a, page);
		fill(address_of(a, page), start_page(a, page));
	}
	protect(a, a->prot);
	open_all(a);
}

/* A child that is gone again leaves all of them read-only, and only PTEs tell of it. */
static void fork_and_forget(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		cannot("fork");
}

/* ---- actors */

/* What pages leave is used by others at once. */
static void sweep_step(struct actor *a)
{
	const unsigned nr = PAGES + PAGES / 2;
	unsigned long mask = 1UL << nodes[a->node];
	volatile uint64_t *others;
	unsigned page;

	if (random_of(a) % 4 == 0) {
		settle();
		move_pages(a, 0, PAGES, nodes[!a->node], 1);
		a->node = !a->node;
	} else {
		move_region(a);
	}
	others = mmap(NULL, nr * PAGE, BOTH, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (others == MAP_FAILED)
		cannot("mmap");
	madvise((void *)others, nr * PAGE, MADV_NOHUGEPAGE);
	if (syscall(SYS_mbind, others, (unsigned long)nr * PAGE, MPOL_PREFERRED, &mask, 64UL, 0U))
		cannot("mbind");
	for (page = 0; page < nr; page++)
		fill_fresh(others + page * PAGE_WORDS, page, word_of(CHURN_KIND, page, 1));
	settle();
	for (page = 0; page < nr; page++)
		expect("memory used again", page, others + page * PAGE_WORDS,
		       word_of(CHURN_KIND, page, 1));
	munmap((void *)others, nr * PAGE);
}

static void fork_step(struct actor *a)
{
	fork_and_forget();
	move_region(a);
	write_all(a);
	settle();
}

static void force_step(struct actor *a)
{
	uint64_t words[PAGE_WORDS];
	unsigned page;

	move_region(a);
	for (page = 0; page < PAGES; page++) {
		fill(words, start_page(a, page));
		if (pwrite(memory_fd, words, PAGE, (off_t)(uintptr_t)address_of(a, page)) != PAGE)
			cannot("/proc/self/mem");
		open_page(a, page);
	}
	settle();
}

static void protect_step(struct actor *a)
{
	unsigned first = random_of(a) % PAGES, nr = 1 + random_of(a) % (PAGES - first), page;

	move_region(a);
	if (mprotect((void *)address_of(a, first), nr * PAGE, BOTH))
		cannot("mprotect");
	for (page = first; page < first + nr; page++)
		write_page(a, page);
	protect(a, PROT_READ);
	settle();
}

/*
 * Readers write their own pages meanwhile, and the migrator moves them. The child's are those of
 * one moment: it need not be the same for all, but nothing changes any more.
 */
static void own_step(struct actor *a)
{
	uint64_t words[PAGES][OWN_WORDS];
	unsigned page, word, times;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		for (page = 0; page < PAGES; page++)
			for (word = 0; word < OWN_WORDS; word++)
				words[page][word] = address_of(a, page)[word];
		for (times = 0; times < 3; times++) {
			nap(300);
			for (page = 0; page < PAGES; page++)
				for (word = 0; word < OWN_WORDS; word++)
					expect("own, in a child", page, address_of(a, page) + word,
					       words[page][word]);
		}
		_exit(0);
	}
	if (pid < 0)
		cannot("fork");
	if (waitpid(pid, &status, 0) != pid || status != 0)
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
}

/* Sees what was there when it was made, whatever the parent does, then what it writes itself. */
__attribute__((noreturn)) static void child(struct actor *a, uint32_t ticket)
{
	uint32_t low[PAGES];
	unsigned page, word = 0;
	bool last;

	for (page = 0; page < PAGES; page++)
		low[page] = atomic_load(&state_of(a, page)->published);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	atomic_fetch_add(&shared->child_may_end, 1);
	do {
		last = atomic_load(&shared->child_may_end) == ticket + 2;
		for (page = 0; page < PAGES; page++)
			expect("a child", page, address_of(a, page) + word % PAGE_WORDS,
			       actors_word(a, page, low[page]));
		word++;
		nap(100);
	} while (!last);
	for (page = 0; page < PAGES; page += 2)
		fill(address_of(a, page), word_of(CHILD_KIND, page, 1));
	for (page = 0; page < PAGES; page++)
		for (word = 0; word < PAGE_WORDS; word++)
			expect("a child", page, address_of(a, page) + word,
			       page % 2 ? actors_word(a, page, low[page]) :
					  word_of(CHILD_KIND, page, 1));
	_exit(0);
}

static void child_step(struct actor *a)
{
	uint32_t ticket = atomic_load(&shared->child_may_end);
	int status;
	pid_t pid = fork();

	if (pid == 0)
		child(a, ticket);
	if (pid < 0)
		cannot("fork");
	/* Nothing is published before it has read what is. */
	while (atomic_load(&shared->child_may_end) == ticket && waitpid(pid, &status, WNOHANG) == 0)
		nap(100);
	move_region(a);
	write_all(a);
	move_region(a);
	atomic_fetch_add(&shared->child_may_end, 1);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
	settle();
}

static void remap_step(struct actor *a)
{
	move_region(a);
	close_all(a);
	if (random_of(a) % 2)
		munmap((void *)a->at, PAGES * PAGE);
	map(a);
	fill_new(a);
	settle();
}

static void zero_step(struct actor *a)
{
	unsigned page;

	move_region(a);
	for (page = 0; page < PAGES; page++)
		start_page(a, page);
	if (madvise((void *)a->at, PAGES * PAGE, MADV_DONTNEED))
		cannot("MADV_DONTNEED");
	open_all(a);
	settle();
	protect(a, BOTH);
	write_all(a);
	protect(a, PROT_READ);
}

/* Away, changed there, and back. */
static void move_step(struct actor *a)
{
	void *away = (char *)a->at + AWAY;
	unsigned page;

	move_region(a);
	close_all(a);
	if (mremap((void *)a->at, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		   away) != away)
		cannot("mremap");
	if (mprotect(away, PAGES * PAGE, BOTH))
		cannot("mprotect");
	for (page = 0; page < PAGES; page++)
		fill((volatile uint64_t *)away + page * PAGE_WORDS, start_page(a, page));
	if (mprotect(away, PAGES * PAGE, PROT_READ))
		cannot("mprotect");
	if (mremap(away, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		   (void *)a->at) != a->at)
		cannot("mremap");
	open_all(a);
	settle();
}

static void swap_step(struct actor *a)
{
	move_region(a);
	madvise((void *)a->at, PAGES * PAGE, MADV_PAGEOUT);
	if (random_of(a) % 2)
		settle();
	protect(a, BOTH);
	write_all(a);
	protect(a, PROT_READ);
	settle();
}

/* All alike, for ksmd to find; then they come apart again. */
static void merge_step(struct actor *a)
{
	write_all(a);
	nap(60000);
	move_region(a);
	settle();
}

static void wp_step(struct actor *a)
{
	struct uffdio_writeprotect with = {
		.range = { .start = (uintptr_t)a->at, .len = PAGES * PAGE },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	if (ioctl(uffd, UFFDIO_WRITEPROTECT, &with))
		cannot("UFFDIO_WRITEPROTECT");
	move_region(a);
	with.mode = 0;
	if (ioctl(uffd, UFFDIO_WRITEPROTECT, &with))
		cannot("UFFDIO_WRITEPROTECT");
	write_all(a);
	settle();
}

/* A block of the second node goes and comes back, with pages on it. */
static void offline_step(struct actor *a)
{
	static unsigned block;
	unsigned n;

	if (a->node == 0)
		move_region(a);
	for (n = 0; n < MAX_BLOCKS; n++) {
		char path[96];
		int fd;

		block = (block + 1) % MAX_BLOCKS;
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/memory%u/state",
			 nodes[1], block);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (write(fd, "offline", 7) == 7) {
			settle();
			if (write(fd, "online_movable", 14) != 14)
				cannot(path);
			count(a, 1);
		}
		close(fd);
		break;
	}
	move_region(a);
	settle();
}

static void migrate_step(struct actor *a)
{
	struct actor *of = &actors[random_of(a) % NR_ACTORS];
	unsigned first = random_of(a) % PAGES, nr = 1 + random_of(a) % (PAGES - first);

	if (!of->has_region || !is_active(of))
		return;
	count(a, move_pages(of, first, nr, nodes[random_of(a) % 2],
			    random_of(a) % 4 ? nr : 1 + nr / 8));
	nap(random_of(a) % 3000);
}

/* Off and on again, as often as may be. */
static void switch_step(struct actor *a)
{
	int fd = open("/sys/kernel/mm/tlb_defer/enabled", O_WRONLY | O_CLOEXEC);
	unsigned n;

	for (n = 0; n < 2; n++) {
		if (fd < 0 || write(fd, n ? "1" : "0", 1) != 1)
			cannot("tlb_defer/enabled");
		nap(random_of(a) % 5000);
	}
	close(fd);
	nap(random_of(a) % 50000);
	count(a, 1);
}

/* Takes memory, finds it empty, keeps it for a while, and finds what it put there. */
static void churn_step(struct actor *a)
{
	unsigned long mask = 1UL << nodes[random_of(a) % 2];
	unsigned nr = 1 + random_of(a) % 256, page;
	volatile uint64_t *at = mmap(NULL, nr * PAGE, BOTH, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned word = random_of(a) % PAGE_WORDS;

	if (at == MAP_FAILED)
		cannot("mmap");
	syscall(SYS_mbind, at, (unsigned long)nr * PAGE, MPOL_PREFERRED, &mask, 64UL, 0U);
	for (page = 0; page < nr; page++)
		fill_fresh(at + page * PAGE_WORDS, page, word_of(CHURN_KIND, page, a->kind));
	nap(random_of(a) % 10000);
	for (page = 0; page < nr; page++)
		expect("churn", page, at + page * PAGE_WORDS + word,
		       word_of(CHURN_KIND, page, a->kind));
	munmap((void *)at, nr * PAGE);
	count(a, nr);
}

/* ---- running */

static void *act(void *arg)
{
	struct actor *a = arg;
	/* What belongs to readers all the time, nobody maps anew. */
	bool fresh = a->has_region && a->turns != TOGETHER;

	if (sched_setaffinity(0, sizeof(working_cpus), &working_cpus))
		cannot("CPUs");
	while (!atomic_load(&shared->stop)) {
		if (!is_active(a)) {
			fresh = a->has_region && a->turns != TOGETHER;
			nap(2000);
			continue;
		}
		if (fresh) {
			close_all(a);
			map(a);
			fill_new(a);
			fresh = false;
		}
		a->step(a);
		if (a->has_region && a->step != offline_step)
			count(a, 1);
	}
	return NULL;
}

/* Processes, so that other address spaces are there to be looked at, and to take pages. */
static pid_t churner(unsigned n)
{
	struct actor *a = ACTOR("churn");
	pid_t pid = fork();

	if (pid < 0)
		cannot("fork");
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	a->random += n;
	/* In what it writes. */
	a->kind = n;
	act(a);
	_exit(0);
}

static bool can_offline(void)
{
	char path[96];
	unsigned n;

	for (n = 0; n < MAX_BLOCKS; n++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/memory%u/state",
			 nodes[1], n);
		if (access(path, W_OK) == 0)
			return true;
	}
	return false;
}

static bool open_uffd(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };

	uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	return uffd >= 0 && ioctl(uffd, UFFDIO_API, &api) == 0;
}

static void set_up(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct actor *own = ACTOR("own"), *a;
	unsigned page, word;
	long n;

	if (cpus < 2)
		cannot("two CPUs are needed");
	nr_readers = cpus / 2 < MAX_READERS ? cpus / 2 : MAX_READERS;
	first_reader_cpu = cpus - nr_readers;
	CPU_ZERO(&working_cpus);
	for (n = 0; n < first_reader_cpu; n++)
		CPU_SET(n, &working_cpus);
	shared = mmap(NULL, sizeof(*shared), BOTH, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memory_fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (shared == MAP_FAILED || memory_fd < 0)
		cannot("/proc/self/mem");
	for (a = actors; a < actors + NR_ACTORS; a++) {
		a->kind = a - actors + 1;
		a->random = (seed + a->kind) * 0x9e3779b97f4a7c15ull;
		a->at = (uint64_t *)(REGIONS_AT + a->kind * REGIONS_APART);
		if (a->has_region)
			for (page = 0; page < PAGES; page++)
				atomic_store(&state_of(a, page)->published, CLOSED);
	}
	ACTOR("switch")->absent |= access("/sys/kernel/mm/tlb_defer/enabled", W_OK) != 0;
	ACTOR("offline")->absent |= !can_offline();
	ACTOR("wp")->absent |= !open_uffd();
	map(own);
	for (page = 0; page < PAGES; page++)
		for (word = 0; word < OWN_WORDS; word++)
			address_of(own, page)[word] = actors_word(own, page, 1);
}

/* Everyone comes after the last of those that have one of their own. */
static int next_turn(int turn)
{
	for (turn++; turn < (int)NR_ACTORS; turn++)
		if (!actors[turn].absent && actors[turn].turns != BACKGROUND)
			return turn;
	return EVERYONE;
}

static double now_s(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec + at.tv_nsec * 1e-9;
}

static void run_for(double seconds, const pid_t *churners)
{
	double end = now_s() + seconds;
	int turn = atomic_load(&shared->turn), left = 1, status, n;

	while (now_s() < end) {
		nap(TURN_MS * 1000);
		for (n = 0; n < CHURNERS; n++)
			if (waitpid(churners[n], &status, WNOHANG) != 0)
				_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
		if (--left > 0)
			continue;
		turn = next_turn(turn);
		atomic_store(&shared->turn, turn);
		left = turn == EVERYONE || actors[turn].turns == TOGETHER ? LONG_TURNS : 1;
	}
	atomic_store(&shared->stop, true);
}

static void run(double seconds)
{
	pthread_t readers[MAX_READERS];
	pid_t churners[CHURNERS];
	struct actor *a;
	unsigned n;

	atomic_store(&shared->turn, next_turn(EVERYONE));
	for (n = 0; n < CHURNERS; n++)
		churners[n] = churner(n);
	for (n = 0; n < nr_readers; n++)
		if (pthread_create(&readers[n], NULL, reader, (void *)(uintptr_t)n))
			cannot("a thread");
	for (a = actors; a < actors + NR_ACTORS; a++)
		if (!a->absent && a->step != churn_step && pthread_create(&a->thread, NULL, act, a))
			cannot("a thread");
	run_for(seconds, churners);
	/* Who waits for readers must not wait for ever. */
	for (a = actors; a < actors + NR_ACTORS; a++)
		if (!a->absent && a->step != churn_step)
			pthread_join(a->thread, NULL);
	atomic_store(&shared->readers_stop, true);
	for (n = 0; n < nr_readers; n++)
		pthread_join(readers[n], NULL);
	for (n = 0; n < CHURNERS; n++) {
		int status;

		if (waitpid(churners[n], &status, 0) != churners[n] || status != 0)
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
	}
}

static void report(void)
{
	unsigned long passes = 0;
	unsigned n;

	for (n = 0; n < nr_readers; n++)
		passes += atomic_load(&shared->passes[n]);
	say("read %lu\n", passes);
	for (n = 0; n < NR_ACTORS; n++)
		if (!actors[n].absent)
			say("%s %lu\n", actors[n].name, atomic_load(&shared->count[n]));
	say("moved %lu\n", atomic_load(&shared->moved));
}

static bool only_actors(char *list)
{
	char *name;
	size_t n;

	for (n = 0; n < NR_ACTORS; n++)
		actors[n].absent = true;
	for (name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		n = actor_named(name);
		if (n == NR_ACTORS)
			return false;
		actors[n].absent = false;
	}
	return true;
}

__attribute__((noreturn)) static void usage(void)
{
	size_t n;

	say("usage: stress [--seconds N] [--seed N] [--actors LIST] [--nodes A,B]\nactors:");
	for (n = 0; n < NR_ACTORS; n++)
		say(" %s", actors[n].name);
	say("\n");
	exit(2);
}

int main(int argc, char **argv)
{
	double seconds = 10;
	int n;

	for (n = 1; n < argc; n += 2) {
		char *value = argv[n + 1];

		if (!value)
			usage();
		if (strcmp(argv[n], "--seconds") == 0)
			seconds = atof(value);
		else if (strcmp(argv[n], "--seed") == 0)
			seed = strtoull(value, NULL, 0);
		else if (strcmp(argv[n], "--nodes") == 0 &&
			 sscanf(value, "%d,%d", &nodes[0], &nodes[1]) == 2)
			continue;
		else if (strcmp(argv[n], "--actors") != 0 || !only_actors(value))
			usage();
	}
	set_up();
	run(seconds);
	report();
	return 0;
}
