/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lib/tune/kernel.h"

static unsigned gcd(unsigned a, unsigned b)
{
	while (b) {
		unsigned rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

void tm_tune_kernel_weights(const uint32_t *bandwidth, size_t nr, unsigned *weight)
{
	uint64_t sum = 0;
	unsigned divisor = 0;

	for (size_t i = 0; i < nr; i++)
		sum += bandwidth[i];
	for (size_t i = 0; i < nr; i++) {
		uint32_t scaled = 32 * bandwidth[i];

		weight[i] = sum && scaled > sum ? scaled / (uint32_t)sum : 1;
		divisor = gcd(weight[i], divisor);
	}
	for (size_t i = 0; i < nr; i++)
		weight[i] /= divisor ? divisor : 1;
}
