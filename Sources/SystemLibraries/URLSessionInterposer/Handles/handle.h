// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../Pacing/pacing.h"
#include "uploadblock.h"

#include <stddef.h>

typedef size_t (*data_cb)(char *, size_t, size_t, void *);

// The state of an easy handle: the receivers of its data, and the position in the response.
//
// The state is found by the handle's address in a separate table, because FoundationNetworking uses CURLOPT_PRIVATE
// itself. Any thread may use the table. The state itself is used together with its handle, on one thread at a time,
// as libcurl requires.
struct handle {
    data_cb header, body, source;
    void *header_user, *body_user, *source_user;
    struct pace pace;
    struct upload_block block;
    uint64_t request;             // its number in the program, 0 if its bodies take no direct way
    uint64_t passed_at;           // the time of the last block that passed through FoundationNetworking, 0 since a head
    int status;                   // of the current header block
    unsigned char header_has_ended; // any later lines are trailers
    unsigned char has_failed;     // a body was refused
    size_t dropped;               // bytes of the body of a redirect
};

// Creates the table. Returns 0 if there is no memory. Must be called once, before the other functions.
int handles_prepare(void);

// Returns the state of the easy handle, or NULL if there is none yet.
struct handle *handle_of(void *easy);

// Returns the state of the easy handle, and creates the state if there is none. Returns NULL if there is no memory.
struct handle *make_handle(void *easy);

// Returns the number of easy handles in the table.
size_t handles_count(void);

// Removes the state from the table before its easy handle is freed, because a new handle may get that address at
// once. The caller frees the state.
struct handle *remove_handle(void *easy);
