// SPDX-License-Identifier: Apache-2.0
//
// Limits the rates of single connections. A rate can change at any time.
//
// libcurl's own limit (CURLOPT_MAX_RECV_SPEED_LARGE) measures from the start of a window of 3 s or more. After a
// reduction, libcurl stands still until the average of the whole window is low enough, which takes minutes.
//
// Here, a limiter has a debt in bytes that its rate pays off. While there is a debt, the handle of the limiter is
// paused. A paused handle requests no socket events, so the kernel's buffer fills and TCP slows the sender down.
#define _GNU_SOURCE
#include "pacing.h"
#include "URLSessionInterposer.h"
#include "../libcurl.h"
#include "limiter.h"
#include "multiclock.h"
#include "sockets.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

// The shortest pause. Shorter debts accumulate, because each pause costs FoundationNetworking two timers and two
// event sources.
static const uint64_t shortest_pause = 10 * 1000000;
// The longest time between two checks of a paused handle, whose rate may have changed.
static const uint64_t longest_pause = 100 * 1000000;

static struct pacing_calls calls;
// The clock of the multi handle on which libcurl is acting now.
static struct multi_clock *acting;

uint64_t pacing_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

void pacing_install(const struct pacing_calls *given) { calls = *given; }

// Returns the size of a tenth of a second's bytes, so that a slow transfer is not bursty.
static long fitting(struct pace *pace) {
    struct limiter *limiter = limiter_of(pace->limiter);
    int64_t chunk = limiter_rate(limiter) / 10;
    return chunk <= 0 || chunk > pace->buffer ? pace->buffer : chunk < least_chunk ? least_chunk : (long)chunk;
}

long pacing_buffer(struct pace *pace, long size) {
    pace->buffer = size;
    return fitting(pace);
}

uint64_t pacing_read_limiter(struct pace *pace, void *header_lines) {
    struct list { char *data; struct list *next; };
    static const char name[] = TRANSFER_URLSESSION_LIMITER_FIELD ":";
    uint64_t request = 0;
    for (struct list *line = header_lines; line; line = line->next) {
        if (!line->data || strncasecmp(line->data, name, sizeof name - 1) != 0) continue;
        char *rest;
        pace->limiter = strtoull(line->data + sizeof name - 1, &rest, 10);
        request = strtoull(rest, NULL, 10);
        // libcurl does not send a line that ends with its colon.
        line->data[sizeof name - 1] = 0;
    }
    struct limiter *limiter = limiter_of(pace->limiter);
    int verifies = !limiter || !atomic_load(&limiter->accepts_any_certificate);
    calls.easy_setopt(pace->easy, opt_ssl_verifypeer, verifies ? 1L : 0L);
    calls.easy_setopt(pace->easy, opt_ssl_verifyhost, verifies ? 2L : 0L);
    // A limited request needs its own connection. Unread bytes of a single HTTP/2 stream would block the whole
    // connection.
    if (limiter_rate(limiter) <= 0) return request;
    calls.easy_setopt(pace->easy, opt_http_version, (long)http_1_1);
    if (pace->buffer > 0) calls.easy_setopt(pace->easy, opt_buffersize, fitting(pace));
    return request;
}

static void pause_for_rate(struct pace *pace, struct limiter *limiter, int what, uint64_t wait, uint64_t now) {
    if (!acting) return;  // nothing would wake the handle outside an action
    atomic_store(&limiter->held, now);
    uint64_t until = now + (wait < longest_pause ? wait : longest_pause);
    if (!pace->link) {
        pace->clock = acting;
        pace->next = acting->held;
        pace->link = &acting->held;
        if (pace->next) pace->next->link = &pace->next;
        acting->held = pace;
        pace->until = until;
    }
    if (until < pace->until) pace->until = until;
    pace->held |= what;
}

static void unlink_pace(struct pace *pace) {
    if (!pace->link) return;
    *pace->link = pace->next;
    if (pace->next) pace->next->link = pace->link;
    pace->link = NULL;
    pace->next = NULL;
}

void pacing_forget(struct pace *pace) {
    int fd = -1;
    // Counts the last bytes while the connection is still known.
    if (pace->limiter && calls.easy_getinfo(pace->easy, info_active_socket, &fd) == 0) sockets_count(fd);
    unlink_pace(pace);
    pace->held = 0;
}

void pacing_on_socket(struct pace *pace, int fd) {
    struct limiter *limiter = limiter_of(pace->limiter);
    if (!limiter) return;
    sockets_mark(fd, atomic_load(&limiter->is_background));
    sockets_count(fd);
}

// Returns whether the request is no longer wanted. FoundationNetworking cancels a request in several steps on its
// single queue. Each step waits while libcurl reads up to a hundred buffers of a fast connection, which takes seconds
// at worst.
int pacing_is_stopped(const struct pace *pace) {
    struct limiter *limiter = limiter_of(pace->limiter);
    return limiter ? atomic_load_explicit(&limiter->is_stopped, memory_order_relaxed) : pace->limiter != 0;
}

int pacing_may_receive(struct pace *pace) {
    struct limiter *limiter = limiter_of(pace->limiter);
    int64_t rate = limiter_rate(limiter);
    if (rate <= 0 || !acting) return 1;
    uint64_t now = pacing_now(), wait = debt_wait(&limiter->receive, rate, now);
    if (wait < shortest_pause) return 1;
    pause_for_rate(pace, limiter, pause_receive, wait, now);
    return 0;
}

void pacing_received(struct pace *pace, size_t count) {
    struct limiter *limiter = limiter_of(pace->limiter);
    if (!limiter) return;
    atomic_fetch_add_explicit(&limiter->received, (int64_t)count, memory_order_relaxed);
    if (limiter_rate(limiter) > 0) limiter->receive.bytes += (double)count;
}

size_t pacing_room_to_send(struct pace *pace, size_t wanted) {
    struct limiter *limiter = limiter_of(pace->limiter);
    int64_t rate = limiter_rate(limiter);
    if (rate <= 0) return wanted;
    uint64_t now = pacing_now(), wait = debt_wait(&limiter->send, rate, now);
    if (wait >= shortest_pause && acting) {
        pause_for_rate(pace, limiter, pause_send, wait, now);
        return 0;
    }
    size_t chunk = rate / 10 < least_chunk ? least_chunk : (size_t)(rate / 10);
    return wanted < chunk ? wanted : chunk;
}

void pacing_sent(struct pace *pace, size_t count) {
    struct limiter *limiter = limiter_of(pace->limiter);
    if (!limiter) return;
    atomic_fetch_add_explicit(&limiter->sent, (int64_t)count, memory_order_relaxed);
    if (limiter_rate(limiter) > 0) limiter->send.bytes += (double)count;
}

int pacing_pause(struct pace *pace, int wanted) {
    pace->their_pause = wanted;
    return wanted | pace->held;
}

void pacing_before_action(void *multi, int is_timeout) {
    struct multi_clock *clock = clock_of(multi, 0);
    if (!clock || acting) return;
    uint64_t now = pacing_now();
    if (is_timeout) {
        clock->set_for = 0;
        // The timer may have fired slightly early. If libcurl's time has come, libcurl sets a new time itself.
        if (clock->wanted <= now) clock->wanted = 0;
    }
    acting = clock;
    clock->is_acting = 1;
    for (struct pace *pace = clock->held, *next; pace; pace = next) {
        next = pace->next;
        if (pace->until > now + millisecond) continue;
        struct limiter *limiter = limiter_of(pace->limiter);
        int64_t rate = limiter_rate(limiter);
        uint64_t receive = 0, send = 0;
        if (limiter && pace->held & pause_receive) receive = debt_wait(&limiter->receive, rate, now);
        if (limiter && pace->held & pause_send) send = debt_wait(&limiter->send, rate, now);
        int held = (receive > millisecond ? pause_receive : 0) | (send > millisecond ? pause_send : 0);
        if (limiter && held) atomic_store(&limiter->held, now);
        uint64_t wait = receive > millisecond && (send <= millisecond || receive < send) ? receive : send;
        pace->until = now + (wait < longest_pause ? wait : longest_pause);
        if (held == pace->held) continue;
        if (!held) unlink_pace(pace);
        pace->held = held;
        // The call may deliver bytes, and may therefore pause the handle again at the head of the list.
        calls.easy_pause(pace->easy, pace->their_pause | held);
    }
}

void pacing_after_action(void *multi) {
    struct multi_clock *clock = clock_of(multi, 0);
    if (!clock || acting != clock) return;
    acting = NULL;
    clock->is_acting = 0;
    clock_set_timer(clock);
}
