// SPDX-License-Identifier: Apache-2.0
//
// Prevents the busy loop (fix 1). FoundationNetworking only ever adds event sources. Before libcurl starts to wait
// for fewer events, the hook therefore makes FoundationNetworking drop its event sources.
#include "polling.h"

#include <stddef.h>

// libcurl's stable constants (curl/multi.h).
enum { poll_mask = 3, poll_remove = 4 };

static _Atomic(socket_cb) real_callback;
static void (*_Atomic notify_socket)(void *, int);
static const _Atomic int *is_enabled;
static _Atomic unsigned char polled[1 << 16];  // awaited events by descriptor; higher ones are not fixed

static int socket_callback(void *easy, int fd, int what, void *user, void *sources) {
    if (what != poll_remove) atomic_load(&notify_socket)(easy, fd);
    socket_cb callback = atomic_load(&real_callback);
    if (atomic_load(is_enabled) && fd >= 0 && fd < (1 << 16)) {
        unsigned char next = what == poll_remove ? 0 : (unsigned char)(what & poll_mask);
        unsigned char previous = atomic_exchange(&polled[fd], next);
        if (sources && next && (previous & ~next)) {
            callback(easy, fd, poll_remove, user, sources);
            sources = NULL;
        }
    }
    return callback(easy, fd, what, user, sources);
}

socket_cb polling_wrap(socket_cb callback, void (*notify)(void *, int), const _Atomic int *enabled) {
    atomic_store(&real_callback, callback);
    atomic_store(&notify_socket, notify);
    is_enabled = enabled;
    return socket_callback;
}
