/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernels of one vector width, for lib/bench/stream-kernels.c, which includes this once for
 * each: it is not guarded, and of no use alone. It wants to be told
 *
 *	NAME(op)      what a function is called
 *	TARGET        the attribute that allows the instructions
 *	V, I          vectors of double and of uint64_t
 *	LANES         how many are in one
 *	HIDE, HIDE_I  of a variable: keeps the compiler from joining several into a wider vector
 *	STREAM        a non-temporal store of a V; where there is none, not defined
 *
 * Each loop has a barrier, lest the compiler make it memcpy() or memset(), which have their own
 * ideas of caches and of widths. What is left over at the end is done one by one.
 */

/* Integers, so that the sum is exact in whatever order; eight of them, so that none waits. */
TARGET static uint64_t NAME(read)(double *to, const double *a, const double *b, double x, size_t nr)
{
	I s0 = { 0 }, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
	uint64_t lanes[LANES], sum = 0, word;
	size_t i = 0;

	(void)to;
	(void)b;
	(void)x;
	for (; i + 8 * LANES <= nr; i += 8 * LANES) {
		EIGHT(ADD_LANES)
		BARRIER();
	}
	s0 += s1 + s2 + s3 + s4 + s5 + s6 + s7;
	memcpy(lanes, &s0, sizeof(lanes));
	for (size_t k = 0; k < LANES; k++)
		sum += lanes[k];
	for (; i < nr; i++) {
		memcpy(&word, &a[i], sizeof(word));
		sum += word;
		BARRIER();
	}
	return sum;
}

#define WRITER(name, PUT, VECTOR, SINGLE)                                                         \
	TARGET static uint64_t NAME(name)(double *to, const double *a, const double *b, double x, \
					  size_t nr)                                              \
	{                                                                                         \
		V all = x - (V){ 0 };                                                             \
		size_t i = 0;                                                                     \
		(void)a;                                                                          \
		(void)b;                                                                          \
		(void)all;                                                                        \
		for (; i + 8 * LANES <= nr; i += 8 * LANES) {                                     \
			PUT(0, VECTOR)                                                            \
			PUT(1, VECTOR)                                                            \
			PUT(2, VECTOR)                                                            \
			PUT(3, VECTOR)                                                            \
			PUT(4, VECTOR)                                                            \
			PUT(5, VECTOR)                                                            \
			PUT(6, VECTOR)                                                            \
			PUT(7, VECTOR)                                                            \
			BARRIER();                                                                \
		}                                                                                 \
		for (; i < nr; i++) {                                                             \
			to[i] = SINGLE;                                                           \
			BARRIER();                                                                \
		}                                                                                 \
		return 0;                                                                         \
	}

WRITER(write, PUT_USUAL, VECTOR_WRITE, x)
WRITER(copy, PUT_USUAL, VECTOR_COPY, a[i])
WRITER(scale, PUT_USUAL, VECTOR_SCALE, (x * a[i]))
WRITER(add, PUT_USUAL, VECTOR_ADD, a[i] + b[i])
WRITER(triad, PUT_USUAL, VECTOR_TRIAD, a[i] + x * b[i])
#ifdef STREAM
WRITER(write_past, PUT_PAST, VECTOR_WRITE, x)
WRITER(copy_past, PUT_PAST, VECTOR_COPY, a[i])
WRITER(scale_past, PUT_PAST, VECTOR_SCALE, (x * a[i]))
WRITER(add_past, PUT_PAST, VECTOR_ADD, a[i] + b[i])
WRITER(triad_past, PUT_PAST, VECTOR_TRIAD, a[i] + x * b[i])
#endif

#undef WRITER
#undef NAME
#undef TARGET
#undef V
#undef I
#undef LANES
#undef HIDE
#undef HIDE_I
#undef STREAM
