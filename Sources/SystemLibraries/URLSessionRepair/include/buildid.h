// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// Which build of a library is loaded, by the number that its linker gave it (NT_GNU_BUILD_ID): another for each change of
// its code, and so for each release and each system that it was built for.

// The longest such number as hexadecimal digits, with the byte that ends them.
enum { build_id_room = 129 };

// Writes the number that stands in an ELF segment of notes into `digits`; "" where there is none.
void build_id_in_notes(const void *notes, size_t length, char digits[build_id_room]);

// Writes the number of the loaded library whose file name starts with `prefix`; "" where there is none.
void build_id_of(const char *prefix, char digits[build_id_room]);

// The release of FoundationNetworking that has this number and was tested with the repair; NULL for any other build.
const char *tested_foundation(const char *digits);
