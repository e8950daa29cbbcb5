// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../Handles/handle.h"

// Enclose an action of libcurl, with a buffer of `wanted` bytes. batch_begin returns 0 if the action is not buffered.
// In that case, batch_end must not be called.
int batch_begin(size_t wanted);
void batch_end(void);

// Returns whether this thread is between batch_begin and batch_end.
int batch_is_open(void);

// Buffers bytes of a body. Returns the value that the receiver would return.
size_t batch_add(struct handle *mine, char *bytes, size_t length);

// Delivers the buffered bytes of the handle.
void batch_flush(struct handle *mine);

// Drops the buffered bytes of the handle.
void batch_discard(struct handle *mine);
