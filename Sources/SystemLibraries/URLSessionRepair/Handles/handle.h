// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../Pacing/pacing.h"
#include "uploadblock.h"

#include <stddef.h>

typedef size_t (*data_cb)(char *, size_t, size_t, void *);

// Per easy handle: who is to be called, and where in the answer we are.
//
// It is found by the handle's address in a table of our own, since CURLOPT_PRIVATE is FoundationNetworking's. The table may be
// used on any thread; what it leads to is used where its handle is, on one thread at a time, as libcurl demands.
struct handle {
    data_cb header, body, source;
    void *header_user, *body_user, *source_user;
    struct pace pace;
    struct upload_block block;
    int status;                   // of the header block being read
    unsigned char header_is_over; // anything after is a trailer
    unsigned char has_failed;     // a body was refused
    size_t dropped;               // bytes of a redirect's body
};

// Makes the table; returns 0 where there is no memory. Called once, before any other of these.
int handles_prepare(void);

// What belongs to the easy handle; NULL where nothing was made yet.
struct handle *handle_of(void *easy);

// The same, made where it is missing; NULL where there is no memory.
struct handle *make_handle(void *easy);

// The number of easy handles in the table.
size_t handles_count(void);

// Takes it out of the table before its easy handle is freed: another may get that address at once. The caller frees it.
struct handle *take_handle(void *easy);
