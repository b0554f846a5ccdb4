/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of every width, and which of them this CPU can run. */
#include <string.h>

#include "lib/bench/stream.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define BARRIER() __asm__ volatile("" ::: "memory")
#define EIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define ADD_LANES(k)                                           \
	s##k += *(const I *)(const void *)(a + i + (k)*LANES); \
	HIDE_I(s##k);

/* The k-th vector from place i on. */
#define VECTOR_WRITE(k) all
#define VECTOR_COPY(k) *(const V *)(a + i + (k)*LANES)
#define VECTOR_SCALE(k) (all * *(const V *)(a + i + (k)*LANES))
#define VECTOR_ADD(k) (*(const V *)(a + i + (k)*LANES) + *(const V *)(b + i + (k)*LANES))
#define VECTOR_TRIAD(k) (*(const V *)(a + i + (k)*LANES) + all * *(const V *)(b + i + (k)*LANES))
#define PUT_USUAL(k, VECTOR)                    \
	{                                       \
		V v = VECTOR(k);                \
		HIDE(v);                        \
		*(V *)(to + i + (k)*LANES) = v; \
	}
#define PUT_PAST(k, VECTOR)                    \
	{                                      \
		V v = VECTOR(k);               \
		STREAM(to + i + (k)*LANES, v); \
	}

/* The barrier of each store is what keeps it from being joined with its neighbour. */
#define NAME(op) op##_scalar
#define TARGET
#define V double
#define I uint64_t
#define LANES ((size_t)1)
#if defined(__x86_64__)
#define HIDE(v) __asm__ volatile("" : "+x"(v)::"memory")
#elif defined(__aarch64__)
#define HIDE(v) __asm__ volatile("" : "+w"(v)::"memory")
#else
#define HIDE(v) BARRIER()
#endif
#define HIDE_I(v) __asm__ volatile("" : "+r"(v))
#include "lib/bench/stream-template.h"

typedef double v128 __attribute__((vector_size(16), may_alias));
typedef uint64_t i128 __attribute__((vector_size(16), may_alias));
#define NAME(op) op##_128
#define TARGET
#define V v128
#define I i128
#define LANES ((size_t)2)
#define HIDE(v)
#define HIDE_I(v)
#if defined(__x86_64__)
#define STREAM _mm_stream_pd
#endif
#include "lib/bench/stream-template.h"

#if defined(__x86_64__)
typedef double v256 __attribute__((vector_size(32), may_alias));
typedef uint64_t i256 __attribute__((vector_size(32), may_alias));
#define NAME(op) op##_256
#define TARGET __attribute__((target("avx2")))
#define V v256
#define I i256
#define LANES ((size_t)4)
#define HIDE(v)
#define HIDE_I(v)
#define STREAM _mm256_stream_pd
#include "lib/bench/stream-template.h"

typedef double v512 __attribute__((vector_size(64), may_alias));
typedef uint64_t i512 __attribute__((vector_size(64), may_alias));
#define NAME(op) op##_512
#define TARGET __attribute__((target("avx512f")))
#define V v512
#define I i512
#define LANES ((size_t)8)
#define HIDE(v)
#define HIDE_I(v)
#define STREAM _mm512_stream_pd
#include "lib/bench/stream-template.h"
#endif

#define ROW(width)                                                                \
	{                                                                         \
		[TM_BENCH_READ] = read_##width, [TM_BENCH_WRITE] = write_##width, \
		[TM_BENCH_COPY] = copy_##width, [TM_BENCH_SCALE] = scale_##width, \
		[TM_BENCH_ADD] = add_##width, [TM_BENCH_TRIAD] = triad_##width,   \
	}
#define ROW_PAST(width)                                                                     \
	{                                                                                   \
		[TM_BENCH_WRITE] = write_past_##width, [TM_BENCH_COPY] = copy_past_##width, \
		[TM_BENCH_SCALE] = scale_past_##width, [TM_BENCH_ADD] = add_past_##width,   \
		[TM_BENCH_TRIAD] = triad_past_##width,                                      \
	}

tm_bench_kernel tm_bench_stream_kernel(enum tm_bench_op op, enum tm_bench_vector vector,
				       bool nontemporal)
{
	static const tm_bench_kernel usual[TM_BENCH_VECTORS][TM_BENCH_OPS] = {
		[TM_BENCH_SCALAR] = ROW(scalar),
		[TM_BENCH_128] = ROW(128),
#if defined(__x86_64__)
		[TM_BENCH_256] = ROW(256),
		[TM_BENCH_512] = ROW(512),
#endif
	};
	static const tm_bench_kernel past[TM_BENCH_VECTORS][TM_BENCH_OPS] = {
#if defined(__x86_64__)
		[TM_BENCH_128] = ROW_PAST(128),
		[TM_BENCH_256] = ROW_PAST(256),
		[TM_BENCH_512] = ROW_PAST(512),
#endif
	};

	return nontemporal ? past[vector][op] : usual[vector][op];
}

bool tm_bench_vector_here(enum tm_bench_vector vector)
{
	switch (vector) {
	case TM_BENCH_SCALAR:
	case TM_BENCH_128:
		return true;
#if defined(__x86_64__)
	case TM_BENCH_256:
		return __builtin_cpu_supports("avx2");
	case TM_BENCH_512:
		return __builtin_cpu_supports("avx512f");
#endif
	default:
		return false;
	}
}

enum tm_bench_vector tm_bench_vector_widest(void)
{
	enum tm_bench_vector widest = TM_BENCH_VECTORS - 1;

	while (!tm_bench_vector_here(widest))
		widest--;
	return widest;
}

void tm_bench_stream_fence(void)
{
#if defined(__x86_64__)
	_mm_sfence();
#endif
}
