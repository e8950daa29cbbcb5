// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef _GNU_SOURCE
#error object.h needs _GNU_SOURCE before the first header
#endif
#include <link.h>
#include <stddef.h>
#include <stdint.h>

// A library as it lies in memory, or the program itself.
struct object {
    char file[80];  // its file's name without folders
    ElfW(Addr) base, end;
    const ElfW(Phdr) *headers;
    int header_count;
    const ElfW(Sym) *symbols;
    const char *names;
    const ElfW(Rela) *relocations[2];
    size_t relocation_counts[2];
};

// Finds the library whose file name starts with `prefix`, or the program for NULL. Returns 0 where there is none that has
// imports. Libraries that a program was linked with stay loaded, and so does what is told here of them.
int object_find(const char *prefix, struct object *found);

// Calls `visit` for each import with its name and its slot, until it returns something else than 0, which is returned.
int object_visit_imports(
    const struct object *object, int (*visit)(const char *name, void **slot, void *user), void *user);

// Whether the bytes lie in a segment that the object may write, before its loader made parts of it read-only.
int object_is_data(const struct object *object, uintptr_t start, size_t length);

// Whether the loader has made the page read-only after relocation.
int object_is_read_only_page(const struct object *object, uintptr_t page, size_t page_size);
