// SPDX-License-Identifier: Apache-2.0
#include "uploadblock.h"

// The number of small blocks at the beginning. Up to two blocks may be on their way into a dead connection, and
// URLSession then sends them again on its own.
static const int small_blocks = 2;
// The limits for adjusting the block size, in nanoseconds. A block was fast if the next block is requested within
// `fast`, and slow if the request takes at least `slow`.
static const uint64_t fast = 10 * 1000000, slow = 50 * 1000000;

size_t upload_block_next(struct upload_block *block, size_t room, uint64_t now) {
    uint64_t took = now - block->requested_at;
    block->requested_at = now;
    if (block->small < small_blocks) {
        block->small++;
        block->size = least_upload_block;
    } else if (took <= fast && block->size < largest_upload_block) {
        block->size *= 2;
    } else if (took >= slow && block->size > least_upload_block) {
        block->size /= 2;
    }
    return room < block->size ? room : block->size;
}
