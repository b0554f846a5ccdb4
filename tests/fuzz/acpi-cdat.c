/* SPDX-License-Identifier: GPL-2.0-only */
/* A CDAT, and whether these bytes would be taken for one. */
#include "tests/acpi/exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum tm_acpi_signature signature;

	if (tm_acpi_recognise(data, size, &signature))
		CHECK(size >= 4);
	exercise_alone(TM_ACPI_CDAT, NULL, data, size);
	return 0;
}
