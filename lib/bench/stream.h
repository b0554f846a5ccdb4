/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams through memory: what one thread reads and writes, over arrays of its own, in order, as
 * fast as it can.
 *
 *	tm_bench_stream_init → tm_bench_stream_fill → tm_bench_stream_step … → tm_bench_stream_check
 *
 * Arrays hold what can be told: sources a pattern, targets what the kernel makes of it, with a
 * factor that is another in each pass. So it can be checked afterwards that every word was read and
 * written as often as was counted: a kernel that leaves something out is found.
 *
 * Bytes are those that the program moves. A store that is not non-temporal makes the CPU read the
 * line first; that is not counted.
 */
#ifndef TM_BENCH_STREAM_H
#define TM_BENCH_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

enum tm_bench_op {
	TM_BENCH_READ,	/* sum += a[i] */
	TM_BENCH_WRITE, /* to[i] = x */
	TM_BENCH_COPY,	/* to[i] = a[i] */
	TM_BENCH_SCALE, /* to[i] = x * a[i] */
	TM_BENCH_ADD,	/* to[i] = a[i] + b[i] */
	TM_BENCH_TRIAD, /* to[i] = a[i] + x * b[i] */
	TM_BENCH_MIX,	/* so many arrays read, so many written */
};
#define TM_BENCH_OPS (TM_BENCH_MIX + 1)

enum tm_bench_vector {
	TM_BENCH_SCALAR,
	TM_BENCH_128,
	TM_BENCH_256,
	TM_BENCH_512,
};
#define TM_BENCH_VECTORS (TM_BENCH_512 + 1)

/* "triad", "512"; NULL for none of them. */
const char *tm_bench_op_name(unsigned op);
const char *tm_bench_vector_name(unsigned vector);
/* What a kernel reads and writes for each element, in arrays; 0 and 0 for a mix. */
void tm_bench_op_arrays(enum tm_bench_op op, unsigned *reads, unsigned *writes);

/*
 * Does `nr` elements, as the operation says; `read` returns the sum of the words (as integers),
 * others 0. Arrays begin at multiples of 64 bytes; which of them it has not may be NULL.
 */
typedef uint64_t (*tm_bench_kernel)(double *to, const double *a, const double *b, double x,
				    size_t nr);

/*
 * Of one operation (a mix is made of `read` and `write`). NULL where this kind of CPU has no such
 * vectors, or no non-temporal stores; whether this very CPU has them, tm_bench_vector_here says.
 */
tm_bench_kernel tm_bench_stream_kernel(enum tm_bench_op op, enum tm_bench_vector vector,
				       bool nontemporal);
bool tm_bench_vector_here(enum tm_bench_vector vector);
enum tm_bench_vector tm_bench_vector_widest(void);
/* Makes all non-temporal stores seen. */
void tm_bench_stream_fence(void);

/* Sides of a mix. */
#define TM_BENCH_MIX_MAX 16
#define TM_BENCH_ARRAYS (2 * TM_BENCH_MIX_MAX)

/* Elements of each array done by one step. */
#define TM_BENCH_STEP 16384

struct tm_bench_stream {
	enum tm_bench_op op;
	unsigned reads, writes; /* how many arrays */
	bool nontemporal;
	tm_bench_kernel reader, writer;	 /* of all but a mix only the one that does it is set */
	double *arrays[TM_BENCH_ARRAYS]; /* first those that are read */
	size_t nr;			 /* elements of each */
	uint64_t pass;			 /* whole ones done */
	size_t at;			 /* where this one is */
	uint64_t sum;			 /* of all words read */
};

/*
 * Sets all but the arrays, which the caller sets. -EINVAL: not 1 to 16 arrays in all of a mix's
 * sides; -ENOTSUP: this CPU has not what is asked for.
 */
int tm_bench_stream_init(struct tm_bench_stream *stream, enum tm_bench_op op, unsigned reads,
			 unsigned writes, enum tm_bench_vector vector, bool nontemporal,
			 struct tm_error *err);
/* Fills all arrays, which is the first touch, and begins. */
void tm_bench_stream_fill(struct tm_bench_stream *stream);
/* Does some, and goes on where it was. Returns the bytes that were moved. */
uint64_t tm_bench_stream_step(struct tm_bench_stream *stream);
/* Is everything there that must be? -EIO, and the text says which word is wrong. */
int tm_bench_stream_check(const struct tm_bench_stream *stream, struct tm_error *err);

#endif
