// SPDX-License-Identifier: Apache-2.0
#include "pages.h"

static uintptr_t rounded_down(uintptr_t address, size_t page_size) { return address & ~(uintptr_t)(page_size - 1); }

struct page_span pages_around(uintptr_t start, size_t length, size_t page_size) {
    struct page_span pages = {rounded_down(start, page_size), 0};
    if (length > 0) pages.length = rounded_down(start + length - 1, page_size) - pages.start + page_size;
    return pages;
}

struct page_span pages_after_relocation(uintptr_t start, size_t length, size_t page_size) {
    uintptr_t first = rounded_down(start, page_size), end = rounded_down(start + length, page_size);
    struct page_span pages = {first, end > first ? end - first : 0};
    return pages;
}
