// SPDX-License-Identifier: Apache-2.0
#include "uploadblock.h"

// Two blocks may be on their way into a connection that turns out dead, and are then sent again unasked: these are small.
static const int small_blocks = 2;
// A block after which the next one is asked for so soon went fast, one after which it takes so long slowly. In nanoseconds.
static const uint64_t fast = 10 * 1000000, slow = 50 * 1000000;

size_t upload_block_next(struct upload_block *block, size_t room, uint64_t now) {
    uint64_t took = now - block->asked;
    block->asked = now;
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
