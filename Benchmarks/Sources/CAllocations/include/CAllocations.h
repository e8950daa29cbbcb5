// SPDX-License-Identifier: Apache-2.0
#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

// Counts the memory that this program allocates. Its own malloc and related functions replace the C library's, for
// Swift, C++ and everything else in the process. Counting is off by default. While it is on, only the measuring
// thread may allocate, or else the counts include other threads.

#include <stdint.h>

/// The allocations made while counting was on.
typedef struct {
    /// The number of calls that returned memory, including `realloc`.
    int64_t allocations;
    /// The usable bytes allocated minus the usable bytes freed, including the C library's rounding.
    int64_t live_bytes;
} allocation_counts;

void allocations_reset(void);
void allocations_start(void);
void allocations_stop(void);
allocation_counts allocations_read(void);

#endif
