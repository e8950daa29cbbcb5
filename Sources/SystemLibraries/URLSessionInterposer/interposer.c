// SPDX-License-Identifier: Apache-2.0
//
// Fixes FoundationNetworking's faults in its use of libcurl (Swift 6.3.1) by interposing between the two, until they
// are fixed upstream. The fixes, and the locations of the faults in swift-corelibs-foundation:
//  1. A busy loop on each new connection (MultiHandle.swift, createSources): event sources are only ever added. If
//     libcurl changes from waiting to write to waiting to read, the write source stays and fires forever. Before such
//     a change, the hook reports CURL_POLL_REMOVE, which drops both sources.
//  2. Chunked trailers end the process (NativeProtocol.swift, fatalError). The hooks drop them.
//  3. 1xx responses arrive as extra responses. The hooks drop all of them except 101 and 104, which uploads need.
//     Some header lines that other clients accept end a transfer. Examples are a name without a space after the
//     colon, a status line without a reason, an empty value, and bytes that are not UTF-8. The hooks normalize them.
//  4. Redirects are resolved incorrectly and may end the process, and their bodies stay in memory. The hooks rename
//     `Location`, so that FoundationNetworking follows no redirect, and drop the bodies of redirects.
//  5. Encoded bodies are decoded even if the request did not allow encodings, and lengths and ranges no longer match.
//     The hooks turn decoding off.
//  6. The receive buffer is 16 KiB. libcurl delivers 16 KiB at a time, whatever the size of the buffer. Each delivery
//     costs FoundationNetworking a timer, an allocation, and several wakeups. The hooks enlarge the buffer and combine
//     the bytes of a single libcurl call into a single delivery. Most deliveries bypass FoundationNetworking (direct.c).
//     A fast upload gets larger blocks (uploadblock.h). Nothing uses the progress of each packet, so it is turned off.
//  7. FoundationNetworking cannot set a CA file or a proxy. The hooks set them on every handle. With a CA file, the
//     system's folder is not used.
//  8. A Content-Length of 2^63 - 512 or more ends the process (EasyHandle.swift, setupCallbacks: libcurl's double is
//     converted to an Int64, which traps at 2^63). The hooks report lengths from 2^62 on as unknown. The field itself
//     is delivered.
//  9. URLs with an IPv6 address cannot be fetched (EasyHandle.swift, set(url:)): the host without brackets is
//     compared with libcurl's host, which has brackets. The hooks remove libcurl's brackets.
// 10. If a connection is closed in order within a head, after its first line, libcurl reports no error. The process
//     then ends (NativeProtocol.swift, fatalError). The hooks report an empty response.
// 11. The head with which a proxy opens a tunnel is mistaken for the server's response. The hooks suppress that head.
// 12. A connection reset may end the process (swift-corelibs-libdispatch, event_epoll.c, _dispatch_event_merge_fd;
//     its issue 949). The hooks report hang-ups to libdispatch as readable and writable, which a reset connection is.
//
// FoundationNetworking also lacks rate limits of single connections, and a way to end one immediately (pacing.c).
// The interposer replaces addresses in the global offset tables of FoundationNetworking and libdispatch, all or none
// (install.c), and needs no linker flag.
#define _GNU_SOURCE
#include "URLSessionInterposer.h"
#include "Callbacks/batch.h"
#include "Callbacks/callbacks.h"
#include "Callbacks/direct.h"
#include "Handles/handle.h"
#include "hooks.h"
#include "libcurl.h"
#include "Pacing/pacing.h"
#include "Callbacks/polling.h"
#include "uploadblock.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct real_calls real;

// The options. Strings are replaced and used under the lock; libcurl copies them.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *ca_file, *proxy;
_Atomic int hooks_enabled;
static _Atomic long buffer_size, block_size;

// ---- The functions that FoundationNetworking calls instead of libcurl's

static int socket_action(void *multi, int fd, int events, int *running) {
    pacing_before_action(multi, fd == socket_timeout);
    int batches = atomic_load(&hooks_enabled) && batch_begin((size_t)atomic_load(&block_size));
    int result = real.socket_action(multi, fd, events, running);
    if (batches) batch_end();
    pacing_after_action(multi);
    return result;
}

static int multi_setopt(void *multi, int option, ...) {
    va_list arguments;
    va_start(arguments, option);
    int result;
    if (option >= first_offset && option < first_blob) {
        result = real.multi_setopt(multi, option, va_arg(arguments, int64_t));
    } else if (option >= first_object) {
        void *value = va_arg(arguments, void *);
        if (option == mopt_socketfunction && value) {
            value = (void *)polling_wrap((socket_cb)value, socket_awaited, &hooks_enabled);
        }
        if (option == mopt_timerfunction) value = pacing_timer_function(multi, value);
        if (option == mopt_timerdata) value = pacing_timer_data(multi, value);
        result = real.multi_setopt(multi, option, value);
    } else {
        result = real.multi_setopt(multi, option, va_arg(arguments, long));
    }
    va_end(arguments);
    return result;
}

// The callbacks are always wrapped, so that the interposer can be enabled and disabled at any time.
static int easy_setopt_pointer(void *easy, int option, void *value) {
    struct handle *mine;
    switch (option) {
    case opt_headerdata:
        if (!(mine = make_handle(easy))) break;
        mine->header_user = value;
        return 0;
    case opt_writedata:
        if (!(mine = make_handle(easy))) break;
        mine->body_user = value;
        return 0;
    case opt_readdata:
        if (!(mine = make_handle(easy))) break;
        mine->source_user = value;
        return 0;
    case opt_readfunction:
        if (!value || !(mine = make_handle(easy))) break;
        mine->source = (data_cb)value;
        real.easy_setopt(easy, opt_readdata, (void *)mine);
        value = (void *)source_callback;
        break;
    case opt_httpheader:
        if (value && (mine = make_handle(easy))) mine->request = pacing_read_limiter(&mine->pace, value);
        break;
    case opt_headerfunction:
        if (!value || !(mine = make_handle(easy))) break;
        mine->header = (data_cb)value;
        real.easy_setopt(easy, opt_headerdata, (void *)mine);
        value = (void *)header_callback;
        break;
    case opt_writefunction:
        if (!value || !(mine = make_handle(easy))) break;
        mine->body = (data_cb)value;
        real.easy_setopt(easy, opt_writedata, (void *)mine);
        value = (void *)body_callback;
        break;
    case opt_accept_encoding:
        if (atomic_load(&hooks_enabled)) value = NULL;
        break;
    case opt_url:
        if (!atomic_load(&hooks_enabled)) break;
        pthread_mutex_lock(&lock);
        if (ca_file) {
            real.easy_setopt(easy, opt_cainfo, ca_file);
            real.easy_setopt(easy, opt_capath, NULL);  // otherwise the system's authorities remain trusted, too
        }
        if (proxy) real.easy_setopt(easy, opt_proxy, proxy);
        pthread_mutex_unlock(&lock);
        real.easy_setopt(easy, opt_noprogress, 1L);
        real.easy_setopt(easy, opt_upload_buffersize, (long)largest_upload_block);
        real.easy_setopt(easy, opt_suppress_connect_headers, 1L);
        break;
    default:
        break;
    }
    return real.easy_setopt(easy, option, value);
}

static int easy_setopt(void *easy, int option, ...) {
    va_list arguments;
    va_start(arguments, option);
    int result;
    if (option >= first_offset && option < first_blob) {
        result = real.easy_setopt(easy, option, va_arg(arguments, int64_t));
    } else if (option >= first_object) {
        result = easy_setopt_pointer(easy, option, va_arg(arguments, void *));
    } else {
        long value = va_arg(arguments, long);
        if (atomic_load(&hooks_enabled)) {
            long wanted = atomic_load(&buffer_size);
            if (option == opt_buffersize && wanted > 0) value = wanted;
            if (option == opt_content_decoding) value = 0;
        }
        struct handle *mine = option == opt_buffersize ? make_handle(easy) : NULL;
        if (mine) value = pacing_buffer(&mine->pace, value);
        result = real.easy_setopt(easy, option, value);
    }
    va_end(arguments);
    return result;
}

// libcurl writes every value through a single pointer.
static int easy_getinfo(void *easy, int info, ...) {
    va_list arguments;
    va_start(arguments, info);
    void *destination = va_arg(arguments, void *);
    va_end(arguments);
    int result = real.easy_getinfo(easy, info, destination);
    if (result == 0 && info == info_content_length && destination && atomic_load(&hooks_enabled)) {
        double length;
        memcpy(&length, destination, sizeof length);
        // The range in which a double converts safely to an Int64. The condition also excludes NaN.
        if (!(length >= -1 && length < 0x1p62)) length = -1;
        memcpy(destination, &length, sizeof length);
    }
    return result;
}

static int url_get(const void *url, int part, char **text, unsigned flags) {
    int result = real.url_get(url, part, text, flags);
    if (result != 0 || part != url_part_host || !text || !*text || !atomic_load(&hooks_enabled)) return result;
    size_t length = strlen(*text);
    if (length > 2 && (*text)[0] == '[' && (*text)[length - 1] == ']') {
        memmove(*text, *text + 1, length - 2);
        (*text)[length - 2] = 0;
    }
    return result;
}

static int easy_pause(void *easy, int wanted) {
    struct handle *mine = handle_of(easy);
    return real.easy_pause(easy, mine ? pacing_pause(&mine->pace, wanted) : wanted);
}

static int multi_remove(void *multi, void *easy) {
    struct handle *mine = easy ? handle_of(easy) : NULL;
    if (mine) pacing_forget(&mine->pace);
    return real.multi_remove(multi, easy);
}

// Handles the end of a request. A successful request without a complete head becomes an empty response.
static struct curl_message *info_read(void *multi, int *left) {
    struct curl_message *message = real.info_read(multi, left);
    if (!message || message->what != message_done || message->data.code != 0 || !atomic_load(&hooks_enabled)) return message;
    struct handle *mine = handle_of(message->easy);
    if (mine && !mine->header_has_ended) message->data.code = code_got_nothing;
    return message;
}

static void easy_cleanup(void *easy) {
    struct handle *mine = remove_handle(easy);
    if (mine) pacing_forget(&mine->pace);
    real.easy_cleanup(easy);
    if (mine) batch_discard(mine);
    free(mine);
}

// The copy receives the options and therefore points to the original's data. The copy needs its own data.
static void *easy_duphandle(void *easy) {
    void *copy = real.easy_duphandle(easy);
    struct handle *mine = copy ? handle_of(easy) : NULL;
    if (!mine) return copy;
    struct handle *theirs = make_handle(copy);
    if (!theirs) {
        real.easy_cleanup(copy);
        return NULL;
    }
    theirs->header = mine->header;
    theirs->body = mine->body;
    theirs->source = mine->source;
    theirs->header_user = mine->header_user;
    theirs->body_user = mine->body_user;
    theirs->source_user = mine->source_user;
    theirs->pace.limiter = mine->pace.limiter;
    theirs->pace.buffer = mine->pace.buffer;
    if (theirs->header) real.easy_setopt(copy, opt_headerdata, (void *)theirs);
    if (theirs->body) real.easy_setopt(copy, opt_writedata, (void *)theirs);
    if (theirs->source) real.easy_setopt(copy, opt_readdata, (void *)theirs);
    return copy;
}

// All options return to their defaults, so libcurl calls no hook for the handle until it is given new callbacks.
static void easy_reset(void *easy) {
    struct handle *mine = handle_of(easy);
    real.easy_reset(easy);
    if (!mine) return;
    pacing_forget(&mine->pace);
    batch_discard(mine);
    memset(mine, 0, sizeof *mine);
    mine->pace.easy = easy;
}

// ---- The hooks that install.c installs

const struct hook hooks[] = {
    {"curl_easy_setopt", (void *)easy_setopt, offsetof(struct real_calls, easy_setopt), 0},
    {"curl_multi_setopt", (void *)multi_setopt, offsetof(struct real_calls, multi_setopt), 0},
    {"curl_easy_getinfo", (void *)easy_getinfo, offsetof(struct real_calls, easy_getinfo), 0},
    {"curl_easy_cleanup", (void *)easy_cleanup, offsetof(struct real_calls, easy_cleanup), 0},
    {"curl_easy_duphandle", (void *)easy_duphandle, offsetof(struct real_calls, easy_duphandle), 1},
    {"curl_easy_reset", (void *)easy_reset, offsetof(struct real_calls, easy_reset), 1},
    {"curl_url_get", (void *)url_get, offsetof(struct real_calls, url_get), 0},
    {"curl_multi_socket_action", (void *)socket_action, offsetof(struct real_calls, socket_action), 0},
    {"curl_multi_remove_handle", (void *)multi_remove, offsetof(struct real_calls, multi_remove), 0},
    {"curl_easy_pause", (void *)easy_pause, offsetof(struct real_calls, easy_pause), 0},
    {"curl_multi_info_read", (void *)info_read, offsetof(struct real_calls, info_read), 0},
};
const size_t hooks_count = sizeof hooks / sizeof *hooks;

static void replace_string(char **kept, const char *given) {
    free(*kept);
    *kept = given ? strdup(given) : NULL;
}

void hooks_set_options(const struct transfer_urlsession_interposer_options *options) {
    pthread_mutex_lock(&lock);
    direct_install(&options->bodies);
    replace_string(&ca_file, options->ca_file);
    replace_string(&proxy, options->proxy);
    atomic_store(&buffer_size, options->buffer_size);
    atomic_store(&block_size, options->block_size);
    atomic_store(&hooks_enabled, options->enabled);
    pthread_mutex_unlock(&lock);
}
