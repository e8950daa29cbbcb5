// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

// Computations on memory pages. The kernel determines the page size: 4, 16, or 64 KiB. All sizes are in bytes, and a
// page size is a power of two.

// A range of whole pages.
struct page_span {
    uintptr_t start;
    size_t length;
};

// Returns the pages that contain the bytes from `start` on.
struct page_span pages_around(uintptr_t start, size_t length, size_t page_size);

// Returns the pages that the dynamic loader makes read-only after relocation, for a PT_GNU_RELRO segment of these
// bytes.
//
// Both ends are rounded down, as in the loaders of glibc and musl. The last page stays writable if it also contains
// other data.
struct page_span pages_after_relocation(uintptr_t start, size_t length, size_t page_size);
