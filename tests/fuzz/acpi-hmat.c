/* SPDX-License-Identifier: GPL-2.0-only */
/* An HMAT, alone or with an SRAT that has the domains 0 to 3. */
#include "tests/acpi/exercise.h"
#include "tests/acpi/small-srat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The checksum says which: it has no other use here. */
	bool alone = size > 9 && data[9] & 1;

	exercise_alone(TM_ACPI_HMAT, alone ? NULL : small_srat_nodes(), data, size);
	return 0;
}
