// SPDX-License-Identifier: Apache-2.0
//
// Combines the body bytes of a single libcurl call into a single delivery.
//
// All of FoundationNetworking's calls come from a single serial queue, which guards the buffer. If another thread
// called, its bytes would be delivered directly.
//
// A handle may be freed on any thread, because that happens wherever its last reference is dropped. By then, no bytes
// of the handle are buffered.
#include "batch.h"
#include "direct.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char *batch;
static size_t batch_capacity, batch_length;
static _Atomic(struct handle *) batch_handle;
static _Atomic unsigned long acting_thread;  // inside curl_multi_socket_action

static void batch_deliver(void) {
    struct handle *mine = batch_handle;
    size_t used = batch_length;
    batch_handle = NULL;
    batch_length = 0;
    if (mine && used && direct_deliver(mine, batch, used) != used) mine->has_failed = 1;
}

size_t batch_add(struct handle *mine, char *bytes, size_t length) {
    if (mine->has_failed) return 0;
    if (batch_handle && (batch_handle != mine || batch_length + length > batch_capacity)) batch_deliver();
    if (length > batch_capacity) return direct_deliver(mine, bytes, length);
    batch_handle = mine;
    memcpy(batch + batch_length, bytes, length);
    batch_length += length;
    return length;
}

int batch_begin(size_t wanted) {
    unsigned long no_thread = 0;
    if (wanted == 0 || !atomic_compare_exchange_strong(&acting_thread, &no_thread, (unsigned long)pthread_self())) return 0;
    if (batch_capacity != wanted) {
        char *grown = realloc(batch, wanted);
        batch_capacity = grown ? wanted : batch_capacity;
        batch = grown ? grown : batch;
    }
    return 1;
}

void batch_end(void) {
    batch_deliver();
    atomic_store(&acting_thread, 0);
}

int batch_is_open(void) { return atomic_load(&acting_thread) == (unsigned long)pthread_self(); }

void batch_flush(struct handle *mine) {
    if (batch_handle == mine) batch_deliver();
}

void batch_discard(struct handle *mine) {
    struct handle *expected = mine;
    atomic_compare_exchange_strong(&batch_handle, &expected, NULL);
}
