/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory domains: releases of iasl want other words for the rest.
 */
[0004]                          Signature : "HMAT"
[0004]                       Table Length : 00000000
[0001]                           Revision : 02
[0001]                           Checksum : 00
[0006]                             Oem ID : "TIERMM"
[0008]                       Oem Table ID : "TESTDATA"
[0004]                       Oem Revision : 00000001
[0004]                    Asl Compiler ID : "TMEM"
[0004]              Asl Compiler Revision : 00000001
[0004]                           Reserved : 00000000

[0002]                     Structure Type : 0000 [Memory Proximity Domain Attributes]
[0002]                           Reserved : 0000
[0004]                             Length : 00000028
[0002]              Flags (decoded below) : 0001
         Processor Proximity Domain Valid : 1
[0002]                          Reserved1 : 0000
[0004] Attached Initiator Proximity Domain : 00000000
[0004]            Memory Proximity Domain : 00000000
[0004]                          Reserved2 : 00000000
[0008]                          Reserved3 : 0000000000000000
[0008]                          Reserved4 : 0000000000000000

[0002]                     Structure Type : 0000 [Memory Proximity Domain Attributes]
[0002]                           Reserved : 0000
[0004]                             Length : 00000028
[0002]              Flags (decoded below) : 0000
         Processor Proximity Domain Valid : 0
[0002]                          Reserved1 : 0000
[0004] Attached Initiator Proximity Domain : 00000000
[0004]            Memory Proximity Domain : 00000107
[0004]                          Reserved2 : 00000000
[0008]                          Reserved3 : 0000000000000000
[0008]                          Reserved4 : 0000000000000000
