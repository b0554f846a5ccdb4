/* SPDX-License-Identifier: GPL-2.0-only */
/* A CEDT. */
#include "tests/acpi/exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	exercise_alone(TM_ACPI_CEDT, NULL, data, size);
	return 0;
}
