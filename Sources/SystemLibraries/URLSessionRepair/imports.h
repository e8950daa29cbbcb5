// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// A function that a library imports, and what it is to call instead.
struct import_replacement {
    const char *name;
    void *replacement;
};

// Writes the replacements into the global offset table of the loaded library whose file name begins with `prefix`, or
// of the program itself where no such library is loaded and `may_be_in_program` is not 0. Returns how many slots were
// written.
int replace_imports(
    const char *prefix, int may_be_in_program, const struct import_replacement *replacements, size_t count);
