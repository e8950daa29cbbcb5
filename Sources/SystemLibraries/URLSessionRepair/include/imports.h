// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// A function that a library imports, and what the library is to call instead.
struct import_replacement {
    const char *name;
    void *replacement;
    // What the import is bound to where nobody else has replaced it; NULL where that does not matter. An import that is bound
    // at its first call may still lead into the library itself.
    void *expected;
    // Whether a library that does not import the function is as good.
    int is_optional;
};

// The replacements in one library, all of them needed.
struct import_set {
    // The start of the library's file name.
    const char *prefix;
    // Whether the library may be a part of the program itself, as where Swift's libraries are linked statically.
    int may_be_in_program;
    const struct import_replacement *replacements;
    size_t count;
    // Functions that the library must not import, as a list that ends with NULL; NULL for none.
    const char *const *refused;
};

// As mprotect(2).
typedef int (*protect_fn)(void *start, size_t length, int protection);

// Writes all replacements of all sets into the global offset tables of their libraries, or none of them.
//
// Nothing is written before each import was found, checked and made writable. Pages that the loader had made read-only are
// read-only again afterwards. Returns how many slots were written; 0 where nothing was, with why in `reason`, a buffer of
// `room` bytes. `protect` stands for mprotect where it is not NULL.
int replace_imports(const struct import_set *sets, size_t count, protect_fn protect, char *reason, size_t room);

// The slot of a library that a call of that function goes through; NULL where the library is not loaded or does not import it.
void **import_slot(const char *prefix, const char *name);
