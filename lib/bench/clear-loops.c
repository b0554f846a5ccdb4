/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loops that clear memory. They are in assembler where the instruction is what is compared: a
 * compiler makes a call of memset out of any of them that it understands.
 */
#include <string.h>

#include "lib/bench/clear.h"

#define LINE 64
#define BLOCK 256 /* what a loop clears is a multiple of it, and begins at a line */

/* Clears whole blocks, from an aligned start. */
typedef void (*clear_blocks)(char *start, char *end);

/* What is not aligned is cleared the plain way. */
static void clear_by(char *start, size_t bytes, size_t alignment, size_t block, clear_blocks blocks)
{
	size_t head = TM_MIN(-(uintptr_t)start & (alignment - 1), bytes);
	size_t body = (bytes - head) / block * block;

	memset(start, 0, head);
	if (body)
		blocks(start + head, start + head + body);
	memset(start + head + body, 0, bytes - head - body);
}

#if defined(__x86_64__)

static void rep_stosb(char *start, size_t bytes)
{
	__asm__ volatile("rep stosb" : "+D"(start), "+c"(bytes) : "a"(0) : "memory");
}

/* clang-format off */

/* Four stores a turn of what is in the register, which clears itself; then what must follow. */
#define STORE_LOOP(name, zero, store, reg, width, after)			\
	static void name##_blocks(char *start, char *end)			\
	{									\
		__asm__ volatile(						\
			zero "\n"						\
			"1:\t" store "\t%%" reg ", (%0)\n\t"			\
			store "\t%%" reg ", " #width "(%0)\n\t"			\
			store "\t%%" reg ", 2*" #width "(%0)\n\t"		\
			store "\t%%" reg ", 3*" #width "(%0)\n\t"		\
			"add\t$4*" #width ", %0\n\t"				\
			"cmp\t%1, %0\n\t"					\
			"jb\t1b\n\t" after					\
			: "+r"(start) : "r"(end) : "xmm0", "cc", "memory");	\
	}									\
	static void name(char *start, size_t bytes)				\
	{									\
		clear_by(start, bytes, LINE, BLOCK, name##_blocks);		\
	}

/* clang-format on */

#define ZERO_SSE "pxor\t%%xmm0, %%xmm0"
#define ZERO_AVX "vpxor\t%%xmm0, %%xmm0, %%xmm0" /* and all above, to the register's end */

/* Stores past the cache are done when the fence is. */
STORE_LOOP(vector_16, ZERO_SSE, "movdqa", "xmm0", 16, "")
STORE_LOOP(vector_32, ZERO_AVX, "vmovdqa", "ymm0", 32, "vzeroupper")
STORE_LOOP(vector_64, ZERO_AVX, "vmovdqa64", "zmm0", 64, "vzeroupper")
STORE_LOOP(stream_16, ZERO_SSE, "movntdq", "xmm0", 16, "sfence")
STORE_LOOP(stream_32, ZERO_AVX, "vmovntdq", "ymm0", 32, "vzeroupper\n\tsfence")
STORE_LOOP(stream_64, ZERO_AVX, "vmovntdq", "zmm0", 64, "vzeroupper\n\tsfence")

static bool has_avx(void)
{
	return __builtin_cpu_supports("avx");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

const struct tm_bench_loop tm_bench_loops[] = {
	{ "rep-stosb", 0, NULL, rep_stosb },	       { "vector", 64, has_avx512, vector_64 },
	{ "vector", 32, has_avx, vector_32 },	       { "vector", 16, NULL, vector_16 },
	{ "non-temporal", 64, has_avx512, stream_64 }, { "non-temporal", 32, has_avx, stream_32 },
	{ "non-temporal", 16, NULL, stream_16 },
};

#elif defined(__aarch64__)

static void vector_blocks(char *start, char *end)
{
	__asm__ volatile("movi\tv0.2d, #0\n"
			 "1:\tstp\tq0, q0, [%0]\n\t"
			 "stp\tq0, q0, [%0, #32]\n\t"
			 "add\t%0, %0, #64\n\t"
			 "cmp\t%0, %1\n\t"
			 "b.lo\t1b"
			 : "+r"(start)
			 : "r"(end)
			 : "v0", "cc", "memory");
}

static void stream_blocks(char *start, char *end)
{
	__asm__ volatile("movi\tv0.2d, #0\n"
			 "1:\tstnp\tq0, q0, [%0]\n\t"
			 "stnp\tq0, q0, [%0, #32]\n\t"
			 "add\t%0, %0, #64\n\t"
			 "cmp\t%0, %1\n\t"
			 "b.lo\t1b\n\t"
			 "dmb\tishst"
			 : "+r"(start)
			 : "r"(end)
			 : "v0", "cc", "memory");
}

static void vector(char *start, size_t bytes)
{
	clear_by(start, bytes, LINE, BLOCK, vector_blocks);
}

static void stream(char *start, size_t bytes)
{
	clear_by(start, bytes, LINE, BLOCK, stream_blocks);
}

static uint64_t read_dczid(void)
{
	uint64_t value;

	__asm__("mrs\t%0, dczid_el0" : "=r"(value));
	return value;
}

/* How much one instruction clears, in bytes. */
static size_t zva_bytes(void)
{
	return (size_t)4 << (read_dczid() & 15);
}

/* The kernel, or who runs it, may forbid it. */
static bool may_zva(void)
{
	return !(read_dczid() & 16);
}

static void zva_blocks(char *start, char *end)
{
	for (size_t bytes = zva_bytes(); start < end; start += bytes)
		__asm__ volatile("dc\tzva, %0" : : "r"(start) : "memory");
}

static void dc_zva(char *start, size_t bytes)
{
	clear_by(start, bytes, zva_bytes(), zva_bytes(), zva_blocks);
}

const struct tm_bench_loop tm_bench_loops[] = {
	{ "dc-zva", 0, may_zva, dc_zva },
	{ "vector", 32, NULL, vector },
	{ "non-temporal", 32, NULL, stream },
};

#else

static void plain_blocks(char *start, char *end)
{
	for (; start < end; start += sizeof(uint64_t)) {
		*(uint64_t *)(void *)start = 0;
		__asm__ volatile("" ::: "memory");
	}
}

static void plain(char *start, size_t bytes)
{
	clear_by(start, bytes, LINE, BLOCK, plain_blocks);
}

const struct tm_bench_loop tm_bench_loops[] = {
	{ "vector", sizeof(uint64_t), NULL, plain },
};

#endif

const size_t tm_bench_nr_loops = TM_ARRAY_SIZE(tm_bench_loops);
