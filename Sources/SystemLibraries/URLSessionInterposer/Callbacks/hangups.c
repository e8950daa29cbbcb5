// SPDX-License-Identifier: Apache-2.0
//
// Hides hang-ups (fix 12).
//
// EPOLLHUP makes libdispatch dispose of an event source on any thread that runs its queue. This frees memory that the
// manager thread is still traversing. A wakeup is then lost for good, or the process ends by SIGSEGV. An event source
// without a hang-up sees the end of the stream when it reads. It is then disposed of on the manager thread, where
// disposal is safe.
#include "hangups.h"
#include "../hooks.h"

#include <sys/epoll.h>

// Receives only libdispatch's own descriptor. Other libraries do not call this function, unless all libraries are
// linked into a single program.
int wait_without_hangups(int epoll, struct epoll_event *events, int capacity, int timeout) {
    int count = real.epoll_wait(epoll, events, capacity, timeout);
    if (!hooks_enabled) return count;
    for (int i = 0; i < count; i++) {
        if (!(events[i].events & EPOLLHUP)) continue;
        events[i].events &= ~(uint32_t)EPOLLHUP;
        events[i].events |= EPOLLIN | EPOLLOUT;
    }
    return count;
}
