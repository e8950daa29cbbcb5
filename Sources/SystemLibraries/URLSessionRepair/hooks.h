// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libcurl.h"

#include <stddef.h>

struct epoll_event;

// The functions that ours stand before and call in turn: libcurl's own.
struct real_calls {
    setopt_fn easy_setopt, multi_setopt;
    getinfo_fn easy_getinfo;
    cleanup_fn easy_cleanup, easy_reset;
    duphandle_fn easy_duphandle;
    url_get_fn url_get;
    socket_action_fn socket_action;
    remove_fn multi_remove;
    pause_fn easy_pause;
    info_read_fn info_read;
    int (*epoll_wait)(int, struct epoll_event *, int, int);  // the C library's
};

// A function of libcurl's, ours that is called instead, and where libcurl's own is kept.
struct hook {
    const char *name;
    void *replacement;
    size_t real;      // the offset in struct real_calls
    int is_optional;  // FoundationNetworking need not call it
};

extern struct real_calls real;
extern const struct hook hooks[];
extern const size_t hooks_count;

struct transfer_urlsession_repair_options;

// Changes what the hooks do, from any thread.
void hooks_set_options(const struct transfer_urlsession_repair_options *options);

// Whether they do anything but to pass calls on.
extern _Atomic int hooks_enabled;
