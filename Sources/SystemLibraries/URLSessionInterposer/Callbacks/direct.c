// SPDX-License-Identifier: Apache-2.0
//
// Bodies that bypass FoundationNetworking.
//
// FoundationNetworking copies each block twice, and cancels and creates a timer, which wakes up two threads. Most
// blocks are therefore passed directly between libcurl and the program. The first block of a body still goes through
// FoundationNetworking, which completes the head with it or opens the stream, and so does one block a second, which
// restarts the timer.
#include "direct.h"
#include "../hooks.h"

#include <stdatomic.h>

static const uint64_t longest_bypass = 1000000000;

static struct transfer_urlsession_bodies bodies;

// Later installations change nothing, because FoundationNetworking's queue reads the functions without a lock.
void direct_install(const struct transfer_urlsession_bodies *given) {
    if (!bodies.read && !bodies.receive) bodies = *given;
}

static int bypasses(const struct handle *mine, uint64_t now) {
    return mine->request && mine->passed_at && now - mine->passed_at < longest_bypass && atomic_load(&hooks_enabled);
}

size_t direct_read(struct handle *mine, char *bytes, size_t room, uint64_t now) {
    if (bodies.read && bypasses(mine, now)) {
        size_t count = bodies.read(mine->request, bytes, room);
        if (count > 0) return count;
    }
    mine->passed_at = now;
    return mine->source(bytes, 1, room, mine->source_user);
}

size_t direct_deliver(struct handle *mine, char *bytes, size_t count) {
    uint64_t now = pacing_now();
    if (bodies.receive && bypasses(mine, now) && bodies.receive(mine->request, bytes, count)) return count;
    mine->passed_at = now;
    return mine->body(bytes, 1, count, mine->body_user);
}
