// SPDX-License-Identifier: Apache-2.0
#include "CAllocations.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// The C library's own functions, under the names that it provides for programs that replace them.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static atomic_bool is_counting;
static _Atomic int64_t allocations;
static _Atomic int64_t live_bytes;

static void *counted(void *block) {
    if (block != NULL && atomic_load_explicit(&is_counting, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&live_bytes, (int64_t)malloc_usable_size(block), memory_order_relaxed);
    }
    return block;
}

static void uncount(void *block) {
    if (block != NULL && atomic_load_explicit(&is_counting, memory_order_relaxed)) {
        atomic_fetch_sub_explicit(&live_bytes, (int64_t)malloc_usable_size(block), memory_order_relaxed);
    }
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }

void *realloc(void *block, size_t size) {
    const int64_t before = block == NULL ? 0 : (int64_t)malloc_usable_size(block);
    void *const moved = __libc_realloc(block, size);
    if (!atomic_load_explicit(&is_counting, memory_order_relaxed)) return moved;
    // If the call fails, the old block stays, unless its release was requested.
    if (moved != NULL || size == 0) atomic_fetch_sub_explicit(&live_bytes, before, memory_order_relaxed);
    return counted(moved);
}

void free(void *block) {
    uncount(block);
    __libc_free(block);
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *const made = counted(__libc_memalign(alignment, size));
    if (made == NULL) return ENOMEM;
    *block = made;
    return 0;
}

void allocations_reset(void) {
    atomic_store(&allocations, 0);
    atomic_store(&live_bytes, 0);
}

void allocations_start(void) { atomic_store(&is_counting, true); }

void allocations_stop(void) { atomic_store(&is_counting, false); }

allocation_counts allocations_read(void) {
    return (allocation_counts){atomic_load(&allocations), atomic_load(&live_bytes)};
}
