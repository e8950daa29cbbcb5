// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libcurl.h"

#include <stddef.h>

struct epoll_event;

// The original functions of libcurl, which the hooks call in turn.
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
    int (*epoll_wait)(int, struct epoll_event *, int, int);  // from the C library
};

// A hooked function: its name in libcurl, its replacement, and the location of the original.
struct hook {
    const char *name;
    void *replacement;
    size_t real;      // the offset in struct real_calls
    int is_optional;  // FoundationNetworking may not import it
};

extern struct real_calls real;
extern const struct hook hooks[];
extern const size_t hooks_count;

struct transfer_urlsession_interposer_options;

// Changes the behavior of the hooks. Can be called on any thread.
void hooks_set_options(const struct transfer_urlsession_interposer_options *options);

// Whether the hooks are active. Otherwise they only pass calls on.
extern _Atomic int hooks_enabled;
