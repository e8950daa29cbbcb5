// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pacing.h"
#include "uploadblock.h"

#include <stddef.h>

typedef size_t (*data_cb)(char *, size_t, size_t, void *);

// Per easy handle: who is to be called, and where in the answer we are. Hangs on the handle as CURLOPT_PRIVATE, which
// FoundationNetworking does not use, and is freed with it.
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
