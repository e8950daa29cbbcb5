// SPDX-License-Identifier: Apache-2.0
//
// Combines the body bytes of a single libcurl call into a single delivery.
//
// All of FoundationNetworking's calls come from a single serial queue, which guards the buffer. If another thread
// called, its bytes would be delivered directly.
//
// A handle may be freed on any thread, because that happens wherever its last reference is dropped. By then, no bytes
// of the handle are buffered.
#include "gathering.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char *gathered;
static size_t gathered_size, gathered_used;
static _Atomic(struct handle *) gathered_for;
static _Atomic unsigned long acting_thread;  // inside curl_multi_socket_action

static void hand_on(void) {
    struct handle *mine = gathered_for;
    size_t used = gathered_used;
    gathered_for = NULL;
    gathered_used = 0;
    if (mine && used && mine->body(gathered, 1, used, mine->body_user) != used) mine->has_failed = 1;
}

size_t gathering_take(struct handle *mine, char *bytes, size_t length) {
    if (mine->has_failed) return 0;
    if (gathered_for && (gathered_for != mine || gathered_used + length > gathered_size)) hand_on();
    if (length > gathered_size) return mine->body(bytes, 1, length, mine->body_user);
    gathered_for = mine;
    memcpy(gathered + gathered_used, bytes, length);
    gathered_used += length;
    return length;
}

int gathering_begin(size_t wanted) {
    unsigned long nobody = 0;
    if (wanted == 0 || !atomic_compare_exchange_strong(&acting_thread, &nobody, (unsigned long)pthread_self())) return 0;
    if (gathered_size != wanted) {
        char *grown = realloc(gathered, wanted);
        gathered_size = grown ? wanted : gathered_size;
        gathered = grown ? grown : gathered;
    }
    return 1;
}

void gathering_end(void) {
    hand_on();
    atomic_store(&acting_thread, 0);
}

int gathering_is_on(void) { return atomic_load(&acting_thread) == (unsigned long)pthread_self(); }

void gathering_flush(struct handle *mine) {
    if (gathered_for == mine) hand_on();
}

void gathering_forget(struct handle *mine) {
    struct handle *expected = mine;
    atomic_compare_exchange_strong(&gathered_for, &expected, NULL);
}
