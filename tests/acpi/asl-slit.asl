/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Four domains, one of them far.
 */
[0004]                          Signature : "SLIT"
[0004]                       Table Length : 00000000
[0001]                           Revision : 01
[0001]                           Checksum : 00
[0006]                             Oem ID : "TIERMM"
[0008]                       Oem Table ID : "TESTDATA"
[0004]                       Oem Revision : 00000001
[0004]                    Asl Compiler ID : "TMEM"
[0004]              Asl Compiler Revision : 00000001

[0008]                         Localities : 0000000000000004
[0004]                       Locality   0 : 0A 15 1F FF
[0004]                       Locality   1 : 15 0A 1F 20
[0004]                       Locality   2 : 1F 1F 0A 20
[0004]                       Locality   3 : FF 20 20 0A
