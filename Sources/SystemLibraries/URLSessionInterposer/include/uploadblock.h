// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

// The number of upload bytes that libcurl receives at a time. Each block costs FoundationNetworking a timer, two
// allocations, and several wakeups, so a fast connection gets large blocks. On a slow connection, a large block would
// cause a long time without progress, while URLSession's silence limit is running.
enum { least_upload_block = 128 << 10, largest_upload_block = 1 << 20 };

// The adjustment of the block size. Must be zeroed initially.
struct upload_block {
    size_t size;    // size of the last block in bytes
    int small;      // number of small blocks at the beginning
    uint64_t requested_at; // time of the last request in nanoseconds
};

// Returns the size of the next block, at most `room`. Must be called when libcurl requests a block. `room` is the
// number of bytes for which libcurl has room. `now` is in nanoseconds of a monotonic clock.
size_t upload_block_next(struct upload_block *block, size_t room, uint64_t now);
