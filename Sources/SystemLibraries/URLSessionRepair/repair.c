// SPDX-License-Identifier: Apache-2.0
//
// Mends what FoundationNetworking (Swift 6.3.1) does wrongly with libcurl, by standing between the two. To be dropped
// when upstream is mended. Each mend, and where the fault is in swift-corelibs-foundation:
//
//  1. A busy loop on each new connection (MultiHandle.swift, createSources): event sources are only ever added, so when
//     libcurl goes from waiting to write to waiting to read, the write source stays and fires for ever. Before such a
//     narrowing we report CURL_POLL_REMOVE, which drops both sources.
//  2. Chunked trailers end the process (NativeProtocol.swift, fatalError). They are not passed on.
//  3. 1xx answers come as extra responses; only 104, which uploads need, still does. Header lines that other clients
//     accept end a transfer: a name without space after the colon, a status line without a reason, an empty value, bytes
//     that are not UTF-8. Put in order.
//  4. Redirects are resolved wrongly, may end the process, and their bodies are kept in memory. `Location` is passed on
//     under another name, so that FoundationNetworking follows nothing, and bodies of redirects are dropped.
//  5. Encoded bodies are decoded whatever was asked for; lengths and ranges then mean nothing. Decoding is off.
//  6. The receive buffer is 16 KiB, libcurl hands on 16 KiB at a time whatever the buffer, and each of these costs
//     FoundationNetworking a timer, an allocation and several wake-ups. Larger buffer, and what one call of libcurl
//     brings is handed on as one. A fast upload is given larger blocks (uploadblock.h). Progress is computed per packet for
//     nobody: off.
//  7. There is no way to give a CA file or a proxy. Set on every handle; with a CA file the system's folder is left out.
//  8. A Content-Length of 2^63 - 512 and above ends the process (EasyHandle.swift, setupCallbacks: libcurl's double is
//     made an Int64, which traps at 2^63). Lengths from 2^62 on are told as unknown; the field itself is passed on.
//  9. No URL with an IPv6 address can be fetched (EasyHandle.swift, set(url:)): the host without brackets is compared
//     with libcurl's, which has them. libcurl's are taken off.
// 10. A connection that ends in order within a head, after its first line, is no error to libcurl but ends the process
//     (NativeProtocol.swift, fatalError: there is no response). It is told as an empty answer.
// 11. The head with which a proxy opens a tunnel is taken for the server's answer. It is not passed on.
// 12. A connection that is reset may end the process: not by FoundationNetworking, but by the event sources it stands on
//     (swift-corelibs-libdispatch, event_epoll.c, _dispatch_event_merge_fd; its issue 949). Hang-ups are told to libdispatch
//     as readable and writable, which a reset connection is.
//
// And what it cannot do at all: hold single connections to a rate, and end a fast one at once (pacing.c).
//
// How: the addresses of a few libcurl functions in FoundationNetworking's global offset table are replaced by ours. No
// linker flag and no LD_PRELOAD is needed, and no other library of the process is touched.
#define _GNU_SOURCE
#include "URLSessionRepair.h"
#include "gathering.h"
#include "handle.h"
#include "hangups.h"
#include "headerlines.h"
#include "imports.h"
#include "libcurl.h"
#include "pacing.h"
#include "polling.h"
#include "uploadblock.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static setopt_fn real_easy_setopt, real_multi_setopt;
static getinfo_fn real_easy_getinfo;
static cleanup_fn real_easy_cleanup;
static url_get_fn real_url_get;
static int (*real_socket_action)(void *, int, int, int *);
static pause_fn real_easy_pause;
static remove_fn real_multi_remove;
static info_read_fn real_info_read;

// Options: strings are replaced and used under the lock; libcurl copies them.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *ca_file, *proxy;
static _Atomic int enabled;
static _Atomic long buffer_size;

// ---- Per handle: who is to be called, and where in the answer we are. Hangs on the handle as CURLOPT_PRIVATE, which
// FoundationNetworking does not use, and is freed with it.

static struct handle *handle_of(void *easy) {
    char *mine = NULL;
    if (real_easy_getinfo(easy, info_private, &mine) != 0) return NULL;
    return (struct handle *)(void *)mine;
}

static struct handle *make_handle(void *easy) {
    struct handle *mine = handle_of(easy);
    if (mine) return mine;
    mine = calloc(1, sizeof *mine);
    if (mine && real_easy_setopt(easy, opt_private, (void *)mine) != 0) {
        free(mine);
        mine = NULL;
    }
    if (mine) mine->pace.easy = easy;
    return mine;
}

static void told_socket(void *easy, int fd) {
    struct handle *mine = handle_of(easy);
    if (mine) pacing_on_socket(&mine->pace, fd);
}

static int socket_action(void *multi, int fd, int events, int *running) {
    pacing_before_action(multi, fd == socket_timeout);
    long size = atomic_load(&buffer_size);
    int gathers = atomic_load(&enabled) && size > 0 && gathering_begin((size_t)size);
    int result = real_socket_action(multi, fd, events, running);
    if (gathers) gathering_end();
    pacing_after_action(multi);
    return result;
}

static int is_redirect(int status) { return status >= 300 && status <= 308 && status != 304; }

// ---- 2, 3, 4. header lines: headerlines.c knows their form

static size_t header_callback(char *line, size_t size, size_t count, void *user) {
    struct handle *mine = user;
    size_t length = size * count, content = length;
    if (!atomic_load(&enabled)) return mine->header(line, size, count, mine->header_user);
    while (content && (line[content - 1] == '\r' || line[content - 1] == '\n')) content--;
    gathering_flush(mine);
    int is_status = content >= 5 && memcmp(line, "HTTP/", 5) == 0;
    if (is_status) {
        mine->status = status_of(line, content);
        mine->header_is_over = 0;
        mine->dropped = 0;
    }
    if (mine->header_is_over) return length;
    // 104 tells where an interrupted upload goes on.
    int is_interim = mine->status >= 100 && mine->status < 200;
    if (is_interim && mine->status != 101 && mine->status != 104) return length;
    if (content == 0) {
        mine->header_is_over = 1;
        char end[2] = {'\r', '\n'};  // where it came as a bare line feed, too
        return mine->header(end, 1, sizeof end, mine->header_user) == sizeof end ? length : 0;
    }
    char small[4096], *out = content + 32 <= sizeof small ? small : malloc(content + 32);
    if (!out) return 0;
    size_t used = tidy_line(line, content, is_status, out);
    size_t taken = used;
    if (used) {
        replace_invalid_utf8(out, used);
        out[used++] = '\r';
        out[used++] = '\n';
        taken = mine->header(out, 1, used, mine->header_user);
    }
    if (out != small) free(out);
    return taken == used ? length : 0;
}

static size_t body_callback(char *bytes, size_t size, size_t count, void *user) {
    struct handle *mine = user;
    if (pacing_is_over(&mine->pace)) return 0;  // less than there was: an error to libcurl, which closes the connection
    // libcurl keeps what it was not allowed to hand on.
    if (!pacing_may_receive(&mine->pace)) return data_pause;
    pacing_received(&mine->pace, size * count);
    if (atomic_load(&enabled) && is_redirect(mine->status)) {
        mine->dropped += size * count;
        return mine->dropped <= 1 << 20 ? size * count : 0;  // a redirect that never ends is an error
    }
    if (gathering_is_on()) return gathering_take(mine, bytes, size * count);
    return mine->body(bytes, size, count, mine->body_user);
}

static size_t source_callback(char *bytes, size_t size, size_t count, void *user) {
    struct handle *mine = user;
    if (pacing_is_over(&mine->pace)) return source_abort;
    size_t block = upload_block_next(&mine->block, size * count, pacing_now());
    size_t room = pacing_room_to_send(&mine->pace, block);
    if (room == 0 && size * count > 0) return data_pause;
    size_t given = mine->source(bytes, 1, room, mine->source_user);
    if (given < source_abort) pacing_sent(&mine->pace, given);
    return given;
}

// ---- What FoundationNetworking calls instead of libcurl

static int multi_setopt(void *multi, int option, ...) {
    va_list arguments;
    va_start(arguments, option);
    int result;
    if (option >= first_offset && option < first_blob) {
        result = real_multi_setopt(multi, option, va_arg(arguments, int64_t));
    } else if (option >= first_object) {
        void *value = va_arg(arguments, void *);
        if (option == mopt_socketfunction && value) {
            value = (void *)polling_stand_before((socket_cb)value, told_socket, &enabled);
        }
        if (option == mopt_timerfunction) value = pacing_timer_function(multi, value);
        if (option == mopt_timerdata) value = pacing_timer_data(multi, value);
        result = real_multi_setopt(multi, option, value);
    } else {
        result = real_multi_setopt(multi, option, va_arg(arguments, long));
    }
    va_end(arguments);
    return result;
}

// The callbacks are wrapped whether the repair is enabled or not, so that the switch can be turned at any time.
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
        real_easy_setopt(easy, opt_readdata, (void *)mine);
        value = (void *)source_callback;
        break;
    case opt_httpheader:
        if (value && (mine = make_handle(easy))) pacing_take_lane(&mine->pace, value);
        break;
    case opt_headerfunction:
        if (!value || !(mine = make_handle(easy))) break;
        mine->header = (data_cb)value;
        real_easy_setopt(easy, opt_headerdata, (void *)mine);
        value = (void *)header_callback;
        break;
    case opt_writefunction:
        if (!value || !(mine = make_handle(easy))) break;
        mine->body = (data_cb)value;
        real_easy_setopt(easy, opt_writedata, (void *)mine);
        value = (void *)body_callback;
        break;
    case opt_accept_encoding:
        if (atomic_load(&enabled)) value = NULL;
        break;
    case opt_url:
        if (!atomic_load(&enabled)) break;
        pthread_mutex_lock(&lock);
        if (ca_file) {
            real_easy_setopt(easy, opt_cainfo, ca_file);
            real_easy_setopt(easy, opt_capath, NULL);  // else the system's authorities stay trusted beside it
        }
        if (proxy) real_easy_setopt(easy, opt_proxy, proxy);
        pthread_mutex_unlock(&lock);
        real_easy_setopt(easy, opt_noprogress, 1L);
        real_easy_setopt(easy, opt_upload_buffersize, (long)largest_upload_block);
        real_easy_setopt(easy, opt_suppress_connect_headers, 1L);
        break;
    default:
        break;
    }
    return real_easy_setopt(easy, option, value);
}

static int easy_setopt(void *easy, int option, ...) {
    va_list arguments;
    va_start(arguments, option);
    int result;
    if (option >= first_offset && option < first_blob) {
        result = real_easy_setopt(easy, option, va_arg(arguments, int64_t));
    } else if (option >= first_object) {
        result = easy_setopt_pointer(easy, option, va_arg(arguments, void *));
    } else {
        long value = va_arg(arguments, long);
        if (atomic_load(&enabled)) {
            long wanted = atomic_load(&buffer_size);
            if (option == opt_buffersize && wanted > 0) value = wanted;
            if (option == opt_content_decoding) value = 0;
        }
        struct handle *mine = option == opt_buffersize ? make_handle(easy) : NULL;
        if (mine) value = pacing_buffer(&mine->pace, value);
        result = real_easy_setopt(easy, option, value);
    }
    va_end(arguments);
    return result;
}

// Every answer of libcurl is written through one pointer, whatever its type.
static int easy_getinfo(void *easy, int info, ...) {
    va_list arguments;
    va_start(arguments, info);
    void *answer = va_arg(arguments, void *);
    va_end(arguments);
    int result = real_easy_getinfo(easy, info, answer);
    if (result == 0 && info == info_content_length && answer && atomic_load(&enabled)) {
        double length;
        memcpy(&length, answer, sizeof length);
        // The range in which a double can be made an Int64, with room; written so that NaN is outside, too.
        if (!(length >= -1 && length < 0x1p62)) length = -1;
        memcpy(answer, &length, sizeof length);
    }
    return result;
}

static int url_get(const void *url, int part, char **text, unsigned flags) {
    int result = real_url_get(url, part, text, flags);
    if (result != 0 || part != url_part_host || !text || !*text || !atomic_load(&enabled)) return result;
    size_t length = strlen(*text);
    if (length > 2 && (*text)[0] == '[' && (*text)[length - 1] == ']') {
        memmove(*text, *text + 1, length - 2);
        (*text)[length - 2] = 0;
    }
    return result;
}

static int easy_pause(void *easy, int wanted) {
    struct handle *mine = handle_of(easy);
    return real_easy_pause(easy, mine ? pacing_pause(&mine->pace, wanted) : wanted);
}

static int multi_remove(void *multi, void *easy) {
    struct handle *mine = easy ? handle_of(easy) : NULL;
    if (mine) pacing_forget(&mine->pace);
    return real_multi_remove(multi, easy);
}

// A request has ended: with a head, whole or broken off, unless it failed.
static struct curl_message *info_read(void *multi, int *left) {
    struct curl_message *message = real_info_read(multi, left);
    if (!message || message->what != message_done || message->data.code != 0 || !atomic_load(&enabled)) return message;
    struct handle *mine = handle_of(message->easy);
    if (mine && !mine->header_is_over) message->data.code = code_got_nothing;
    return message;
}

static void easy_cleanup(void *easy) {
    struct handle *mine = easy ? handle_of(easy) : NULL;
    if (mine) pacing_forget(&mine->pace);
    real_easy_cleanup(easy);
    if (mine) gathering_forget(mine);
    free(mine);
}

// ---- Putting it in place

static const struct import_replacement replacements[] = {
    {"curl_easy_setopt", (void *)easy_setopt},
    {"curl_multi_setopt", (void *)multi_setopt},
    {"curl_easy_getinfo", (void *)easy_getinfo},
    {"curl_easy_cleanup", (void *)easy_cleanup},
    {"curl_url_get", (void *)url_get},
    {"curl_multi_socket_action", (void *)socket_action},
    {"curl_multi_remove_handle", (void *)multi_remove},
    {"curl_easy_pause", (void *)easy_pause},
    {"curl_multi_info_read", (void *)info_read},
};

static void replace_string(char **kept, const char *given) {
    free(*kept);
    *kept = given ? strdup(given) : NULL;
}

int transfer_urlsession_repair_install(const struct transfer_urlsession_repair_options *options) {
    static int patched = -1;
    pthread_mutex_lock(&lock);
    replace_string(&ca_file, options->ca_file);
    replace_string(&proxy, options->proxy);
    atomic_store(&buffer_size, options->buffer_size);
    atomic_store(&enabled, options->enabled);
    if (patched < 0) {
        patched = 0;
        hangups_install(&enabled);
        real_easy_setopt = (setopt_fn)dlsym(RTLD_DEFAULT, "curl_easy_setopt");
        real_multi_setopt = (setopt_fn)dlsym(RTLD_DEFAULT, "curl_multi_setopt");
        real_easy_getinfo = (getinfo_fn)dlsym(RTLD_DEFAULT, "curl_easy_getinfo");
        real_easy_cleanup = (cleanup_fn)dlsym(RTLD_DEFAULT, "curl_easy_cleanup");
        real_url_get = (url_get_fn)dlsym(RTLD_DEFAULT, "curl_url_get");
        real_socket_action = (int (*)(void *, int, int, int *))dlsym(RTLD_DEFAULT, "curl_multi_socket_action");
        real_multi_remove = (remove_fn)dlsym(RTLD_DEFAULT, "curl_multi_remove_handle");
        real_easy_pause = (pause_fn)dlsym(RTLD_DEFAULT, "curl_easy_pause");
        real_info_read = (info_read_fn)dlsym(RTLD_DEFAULT, "curl_multi_info_read");
        int has_easy = real_easy_setopt && real_easy_getinfo && real_easy_cleanup && real_easy_pause;
        if (has_easy && real_multi_setopt && real_url_get && real_socket_action && real_multi_remove && real_info_read) {
            const struct pacing_calls calls = {real_easy_setopt, real_easy_getinfo, real_easy_pause};
            pacing_install(&calls);
            size_t count = sizeof replacements / sizeof *replacements;
            patched = replace_imports("libFoundationNetworking.", 1, replacements, count);
        }
    }
    int result = patched;
    pthread_mutex_unlock(&lock);
    return result;
}
