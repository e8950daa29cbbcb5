// SPDX-License-Identifier: Apache-2.0
// What Swift's view of the C library leaves out of its allocator.
#pragma once

/// From now on all threads take from one heap, and pieces of 128 KiB or more go back to the system as soon as they are
/// free. For programs whose threads have little to do at the same time; to be called before there are any.
void transfer_keep_heap_small(void);

/// Gives whole free pages of the heap back to the system.
void transfer_trim_heap(void);
