// SPDX-License-Identifier: Apache-2.0
//
// Hang-ups (mend 12): EPOLLHUP makes libdispatch give up an event source on whichever thread its queue runs on, and free
// what its manager thread is still walking. A wake-up is lost for ever, or the process ends by SIGSEGV. A source for which
// no hang-up is told sees the end when it reads, and is given up where that is safe: on the manager thread.
#include "hangups.h"
#include "imports.h"

#include <stddef.h>
#include <sys/epoll.h>

static const _Atomic int *is_enabled;

// libdispatch's own descriptor only: no other library's calls come here.
static int wait_without_hangups(int epoll, struct epoll_event *events, int capacity, int timeout) {
    int count = epoll_wait(epoll, events, capacity, timeout);
    if (!*is_enabled) return count;
    for (int i = 0; i < count; i++) {
        if (!(events[i].events & EPOLLHUP)) continue;
        events[i].events &= ~(uint32_t)EPOLLHUP;
        events[i].events |= EPOLLIN | EPOLLOUT;
    }
    return count;
}

int hangups_install(const _Atomic int *enabled) {
    static const struct import_replacement replacement = {"epoll_wait", (void *)wait_without_hangups};
    is_enabled = enabled;
    return replace_imports("libdispatch.", 0, &replacement, 1);
}
