// SPDX-License-Identifier: Apache-2.0
#include "CMemory.h"

#include <malloc.h>

void transfer_keep_heap_small(void) {
    mallopt(M_ARENA_MAX, 1);
    // Set, neither grows by itself any more.
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);
}

void transfer_trim_heap(void) { malloc_trim(0); }
