// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// Identifies the loaded build of a library by the number that the linker assigned (NT_GNU_BUILD_ID). The number
// differs for each change of the code, and therefore for each release and each target system.

// The room for the longest build number in hexadecimal digits, including the terminating byte.
enum { build_id_room = 129 };

// Writes the build number in an ELF note segment to `digits`, or "" if there is none.
void build_id_in_notes(const void *notes, size_t length, char digits[build_id_room]);

// Writes the build number of the loaded library whose file name starts with `prefix`, or "" if there is none.
void build_id_of(const char *prefix, char digits[build_id_room]);

// Returns the release of FoundationNetworking with this build number if the interposer was tested with that build.
// Returns NULL for any other build.
const char *tested_foundation(const char *digits);
