/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether TLB flushes go past the TLB row of /proc/interrupts. Where a hypervisor or the CPU itself
 * flushes other CPUs' TLBs, no interrupt is sent and the row does not count it: a low figure then
 * says nothing.
 *
 * After the kernel's arch/x86/kernel/kvm.c (pv_tlb_flush_supported), arch/x86/hyperv/mmu.c,
 * arch/x86/xen/mmu_pv.c, arch/x86/mm/tlb.c (INVLPGB), and the leaves described in
 * virt/kvm/x86/cpuid.rst.
 */
#ifndef TM_SAMPLE_BLIND_H
#define TM_SAMPLE_BLIND_H

#include <stdint.h>

#include "lib/base/value.h"
#include "lib/sys/root.h"

enum tm_blind {
	TM_BLIND_NOT, /* every remote flush is an interrupt */
	/* CPUs that the host has not scheduled are flushed by it when they run again */
	TM_BLIND_KVM,
	TM_BLIND_HYPERV,
	TM_BLIND_XEN,
	/* AMD: an instruction flushes all CPUs, for processes on several of them */
	TM_BLIND_INVLPGB,
};
#define TM_BLINDS (TM_BLIND_INVLPGB + 1)

/* "no", "kvm", "hyperv", "xen", "invlpgb". */
const char *tm_blind_name(enum tm_blind blind);
/* What it means, as words that follow "TLB row is blind: "; NULL for TM_BLIND_NOT. */
const char *tm_blind_explain(enum tm_blind blind);

/* The CPUID instruction: eax, ebx, ecx, edx of a leaf (subleaf 0). False: this CPU has none. */
typedef bool (*tm_cpuid)(void *context, uint32_t leaf, uint32_t registers[4]);

/* That of the CPU it runs on. */
bool tm_cpuid_system(void *context, uint32_t leaf, uint32_t registers[4]);

/*
 * One of enum tm_blind. Where the root is not this machine `cpuid` is not asked, and no more than
 * /proc/cpuinfo and /sys/hypervisor can be known: TM_UNKNOWN unless these say that it is blind.
 * `cpus` is the number of possible CPUs, with one of which nobody flushes another's; 0: unknown.
 */
struct tm_num tm_blind_read(const struct tm_root *root, tm_cpuid cpuid, void *context, size_t cpus);

#endif
