// SPDX-License-Identifier: Apache-2.0
#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

// Counts what this program allocates: its own malloc and the like stand before the C library's, for Swift, C++ and
// everything else in the process. Counting is off until it is switched on; only the thread that measures may allocate
// meanwhile if the numbers are to be its own.

#include <stdint.h>

/// What was allocated while counting was on.
typedef struct {
    /// Calls that gave out memory; a `realloc` is one.
    int64_t allocations;
    /// Usable bytes given out less usable bytes taken back, the C library's rounding included.
    int64_t live_bytes;
} allocation_counts;

void allocations_reset(void);
void allocations_start(void);
void allocations_stop(void);
allocation_counts allocations_read(void);

#endif
