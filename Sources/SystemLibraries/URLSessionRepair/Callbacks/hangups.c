// SPDX-License-Identifier: Apache-2.0
//
// Hang-ups (mend 12): EPOLLHUP makes libdispatch give up an event source on whichever thread its queue runs on, and free
// what its manager thread is still walking. A wake-up is lost for ever, or the process ends by SIGSEGV. A source for which
// no hang-up is told sees the end when it reads, and is given up where that is safe: on the manager thread.
#include "hangups.h"
#include "../hooks.h"

#include <sys/epoll.h>

// Libdispatch's own descriptor only: no other library's calls come here, but where all are parts of one program.
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
