// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdatomic.h>

typedef int (*socket_cb)(void *easy, int fd, int what, void *user, void *sources);

// What is to be libcurl's socket callback in place of that one. `tell` hears of every socket that is waited for; the mend
// works while `enabled` is set.
socket_cb polling_stand_before(socket_cb callback, void (*tell)(void *easy, int fd), const _Atomic int *enabled);
