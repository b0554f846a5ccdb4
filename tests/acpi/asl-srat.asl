/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * One structure of each type that every iasl knows, and two kinds of device handle.
 */
[0004]                          Signature : "SRAT"
[0004]                       Table Length : 00000000
[0001]                           Revision : 03
[0001]                           Checksum : 00
[0006]                             Oem ID : "TIERMM"
[0008]                       Oem Table ID : "TESTDATA"
[0004]                       Oem Revision : 00000001
[0004]                    Asl Compiler ID : "TMEM"
[0004]              Asl Compiler Revision : 00000001
[0004]                     Table Revision : 00000001
[0008]                           Reserved : 0000000000000000

[0001]                      Subtable Type : 00 [Processor Local APIC/SAPIC Affinity]
[0001]                             Length : 10
[0001]            Proximity Domain Low(8) : 03
[0001]                            Apic ID : 21
[0004]              Flags (decoded below) : 00000001
                                  Enabled : 1
[0001]                    Local Sapic EID : 07
[0003]          Proximity Domain High(24) : 000001
[0004]                       Clock Domain : 00000009

[0001]                      Subtable Type : 01 [Memory Affinity]
[0001]                             Length : 28
[0004]                   Proximity Domain : 00000103
[0002]                          Reserved1 : 0000
[0008]                       Base Address : 0000000000000000
[0008]                     Address Length : 0000000080000000
[0004]                          Reserved2 : 00000000
[0004]              Flags (decoded below) : 00000001
                                  Enabled : 1
                            Hot Pluggable : 0
                             Non-Volatile : 0
[0008]                          Reserved3 : 0000000000000000

[0001]                      Subtable Type : 01 [Memory Affinity]
[0001]                             Length : 28
[0004]                   Proximity Domain : 00000005
[0002]                          Reserved1 : 0000
[0008]                       Base Address : 0000000100000000
[0008]                     Address Length : 0000000080000000
[0004]                          Reserved2 : 00000000
[0004]              Flags (decoded below) : 00000003
                                  Enabled : 1
                            Hot Pluggable : 1
                             Non-Volatile : 0
[0008]                          Reserved3 : 0000000000000000

[0001]                      Subtable Type : 01 [Memory Affinity]
[0001]                             Length : 28
[0004]                   Proximity Domain : 00000006
[0002]                          Reserved1 : 0000
[0008]                       Base Address : 0000000180000000
[0008]                     Address Length : 0000000040000000
[0004]                          Reserved2 : 00000000
[0004]              Flags (decoded below) : 00000007
                                  Enabled : 1
                            Hot Pluggable : 1
                             Non-Volatile : 1
[0008]                          Reserved3 : 0000000000000000

[0001]                      Subtable Type : 02 [Processor Local x2APIC Affinity]
[0001]                             Length : 18
[0002]                          Reserved1 : 0000
[0004]                   Proximity Domain : 00000005
[0004]                            Apic ID : 00000190
[0004]              Flags (decoded below) : 00000001
                                  Enabled : 1
[0004]                       Clock Domain : 00000002
[0004]                          Reserved2 : 00000000

[0001]                      Subtable Type : 03 [GICC Affinity]
[0001]                             Length : 12
[0004]                   Proximity Domain : 00000006
[0004]                 Acpi Processor UID : 00000042
[0004]              Flags (decoded below) : 00000000
                                  Enabled : 0
[0004]                       Clock Domain : 00000000

[0001]                      Subtable Type : 04 [GIC ITS Affinity]
[0001]                             Length : 0C
[0004]                   Proximity Domain : 00000006
[0002]                           Reserved : 0000
[0004]                             ITS ID : 00000011
