// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

// Pages of memory, whose size is the kernel's affair: 4, 16 or 64 KiB. All sizes are in bytes, a page's a power of two.

// Whole pages.
struct page_span {
    uintptr_t start;
    size_t length;
};

// The pages that the bytes from `start` on lie in.
struct page_span pages_around(uintptr_t start, size_t length, size_t page_size);

// The pages that the dynamic loader makes read-only after relocation, for a segment PT_GNU_RELRO of these bytes.
//
// Both ends are rounded down, as the loaders of glibc and musl do: the last page is left writable where other data share it.
struct page_span pages_after_relocation(uintptr_t start, size_t length, size_t page_size);
