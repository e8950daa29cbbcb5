// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdatomic.h>

typedef int (*socket_cb)(void *easy, int fd, int what, void *user, void *sources);

// Returns the socket callback for libcurl, which calls `callback` in turn. `notify` is called for every awaited socket.
// The fix is active while `enabled` is set.
socket_cb polling_wrap(socket_cb callback, void (*notify)(void *easy, int fd), const _Atomic int *enabled);
