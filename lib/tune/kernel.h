/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's own weights for weighted interleave, as mm/mempolicy.c of 6.16 and later computes
 * them.
 */
#ifndef TM_TUNE_KERNEL_H
#define TM_TUNE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/*
 * bandwidth[i]: min(read, write) of the i-th node with memory in MB/s, 0 where the kernel has none.
 * Writes nr weights. As there, 32 times a bandwidth is cut to 32 bits and their sum is not.
 */
void tm_tune_kernel_weights(const uint32_t *bandwidth, size_t nr, unsigned *weight);

#endif
