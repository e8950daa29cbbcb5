// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../Handles/handle.h"

// Around one action of libcurl, with so many bytes of room; 0 where nothing is gathered in it, and no end follows.
int gathering_begin(size_t wanted);
void gathering_end(void);

// Whether this thread is between the two.
int gathering_is_on(void);

// Takes bytes of a body; what the receiver would return.
size_t gathering_take(struct handle *mine, char *bytes, size_t length);

// Hands on what there is of the handle.
void gathering_flush(struct handle *mine);

// Drops it.
void gathering_forget(struct handle *mine);
