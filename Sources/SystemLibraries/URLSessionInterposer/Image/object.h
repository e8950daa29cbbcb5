// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef _GNU_SOURCE
#error object.h needs _GNU_SOURCE before the first header
#endif
#include <link.h>
#include <stddef.h>
#include <stdint.h>

// A loaded library, or the program itself.
struct object {
    char file[80];  // the file name without folders
    ElfW(Addr) base, end;
    const ElfW(Phdr) *headers;
    int header_count;
    const ElfW(Sym) *symbols;
    const char *names;
    const ElfW(Rela) *relocations[2];
    size_t relocation_counts[2];
};

// Finds the library whose file name starts with `prefix`, or the program if `prefix` is NULL. Returns 0 if there is
// no such object with imports. Libraries that were linked into a program stay loaded, so the result stays valid.
int object_find(const char *prefix, struct object *found);

// Calls `visit` with the name and the slot of each import until `visit` returns a value other than 0. Returns that
// value, or 0.
int object_visit_imports(
    const struct object *object, int (*visit)(const char *name, void **slot, void *user), void *user);

// Returns whether the bytes are in a segment of the object that was writable before the loader made parts of it
// read-only.
int object_is_data(const struct object *object, uintptr_t start, size_t length);

// Returns whether the loader made the page read-only after relocation.
int object_is_read_only_page(const struct object *object, uintptr_t page, size_t page_size);
