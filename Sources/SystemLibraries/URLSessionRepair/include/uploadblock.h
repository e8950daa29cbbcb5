// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

// How much of an upload libcurl is given at once. Each block costs FoundationNetworking a timer, two allocations and several
// wake-ups, so that a fast connection gets large ones; a slow one would go on for long without a word with these, and so
// without progress, and with URLSession's limit for silence running.
enum { least_upload_block = 128 << 10, largest_upload_block = 512 << 10 };

// Zeroes at the beginning.
struct upload_block {
    size_t size;    // of the last block, in bytes
    int small;      // how many small ones there were at the beginning
    uint64_t asked; // when the last one was asked for, in nanoseconds
};

// How many of the `room` bytes that libcurl has room for the next block is to have; called when libcurl asks for one, `now` in
// nanoseconds of a clock that never goes back.
size_t upload_block_next(struct upload_block *block, size_t room, uint64_t now);
