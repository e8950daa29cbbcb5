// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// A replacement for a function that a library imports.
struct import_replacement {
    const char *name;
    void *replacement;
    // The function to which the import is bound unless other code has replaced it. NULL skips this check. An import
    // that is bound at its first call may still point into the library itself.
    void *expected;
    // Whether the library may lack this import.
    int is_optional;
};

// The replacements in a library. All of them are required, except optional ones.
struct import_set {
    // The beginning of the library's file name.
    const char *prefix;
    // Whether the library may be a part of the program itself, which is the case if Swift's libraries are linked
    // statically.
    int may_be_in_program;
    const struct import_replacement *replacements;
    size_t count;
    // The functions that the library must not import, as a list that ends with NULL. NULL for no functions.
    const char *const *refused;
};

// The signature of mprotect(2).
typedef int (*protect_fn)(void *start, size_t length, int protection);

// Writes all replacements of all sets to the global offset tables of their libraries, or none of them.
//
// Before the first write, every import is found, checked, and made writable. Pages that the loader made read-only are
// read-only again afterward.
//
// Returns the number of slots written. If nothing was written, returns 0 and writes the reason to `reason`, a buffer
// of `room` bytes. If `protect` is not NULL, it replaces mprotect.
int replace_imports(const struct import_set *sets, size_t count, protect_fn protect, char *reason, size_t room);

// Returns the slot through which a library calls the function. Returns NULL if the library is not loaded or does not
// import the function.
void **import_slot(const char *prefix, const char *name);
