/* SPDX-License-Identifier: GPL-2.0-only */
/* An SRAT; what follows its own length is taken as a CEDT, for the nodes of its windows. */
#include "tests/acpi/exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t length = size >= 8 ? tm_le(data + 4, 4) : size;
	struct tm_acpi_findings findings = { 0 };
	struct tm_acpi_table srat, cedt;
	bool both = length < size && size - length > 4 && !memcmp(data + length, "CEDT", 4);

	if (both)
		CHECK(!tm_acpi_table_parse(&cedt, TM_ACPI_CEDT, "here", data + length,
					   size - (size_t)length, &findings, NULL));
	CHECK(!tm_acpi_table_parse(&srat, TM_ACPI_SRAT, "here", data, both ? (size_t)length : size,
				   &findings, NULL));
	tm_acpi_check_table(&srat, NULL, &findings);
	exercise_table(&srat, size % 8 == 0);
	exercise_srat(&srat, both ? &cedt : NULL);
	exercise_findings(&findings);
	tm_acpi_findings_release(&findings);
	tm_acpi_table_release(&srat);
	if (both)
		tm_acpi_table_release(&cedt);
	return 0;
}
