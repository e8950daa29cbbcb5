// SPDX-License-Identifier: Apache-2.0
//
// Rates of single connections, changed at any time. libcurl's own limit (CURLOPT_MAX_RECV_SPEED_LARGE) measures from the
// start of a window of 3 s and more, so that after a step down it stands still until the whole window has become slow
// enough: minutes. Here a lane has a debt in bytes, which its rate pays off; while there is any, its handle is paused.
// A paused handle asks for no socket events, so that the kernel's buffer fills and TCP slows the sender down.
#define _GNU_SOURCE
#include "pacing.h"
#include "URLSessionRepair.h"
#include "../libcurl.h"
#include "lane.h"
#include "multiclock.h"
#include "sockets.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

// Debts shorter than this are gathered, since each hold costs FoundationNetworking two timers and two event sources.
static const uint64_t shortest_hold = 10 * 1000000;
// A held handle is looked at this often, since its rate may have changed.
static const uint64_t longest_hold = 100 * 1000000;

static struct pacing_calls calls;
// The clock of the multi handle that libcurl acts on now.
static struct multi_clock *acting;

uint64_t pacing_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

void pacing_install(const struct pacing_calls *given) { calls = *given; }

// A tenth of a second at a time, so that slow is not bursty.
static long fitting(struct pace *pace) {
    struct lane *lane = lane_of(pace->lane);
    int64_t chunk = lane_rate(lane) / 10;
    return chunk <= 0 || chunk > pace->buffer ? pace->buffer : chunk < least_chunk ? least_chunk : (long)chunk;
}

long pacing_buffer(struct pace *pace, long size) {
    pace->buffer = size;
    return fitting(pace);
}

void pacing_take_lane(struct pace *pace, void *header_lines) {
    struct list { char *data; struct list *next; };
    static const char name[] = TRANSFER_URLSESSION_LANE_FIELD ":";
    for (struct list *line = header_lines; line; line = line->next) {
        if (!line->data || strncasecmp(line->data, name, sizeof name - 1) != 0) continue;
        pace->lane = strtoull(line->data + sizeof name - 1, NULL, 10);
        // libcurl sends no line that ends with its colon.
        line->data[sizeof name - 1] = 0;
    }
    // A connection of its own: what is not read of one HTTP/2 stream holds up all of its connection.
    struct lane *lane = lane_of(pace->lane);
    if (lane_rate(lane) <= 0) return;
    calls.easy_setopt(pace->easy, opt_http_version, (long)http_1_1);
    if (pace->buffer > 0) calls.easy_setopt(pace->easy, opt_buffersize, fitting(pace));
}

static void hold(struct pace *pace, struct lane *lane, int what, uint64_t wait, uint64_t now) {
    if (!acting) return;  // outside of an action nobody would wake it
    atomic_store(&lane->held, now);
    uint64_t until = now + (wait < longest_hold ? wait : longest_hold);
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
    // What came last, while the connection can still be told.
    if (pace->lane && calls.easy_getinfo(pace->easy, info_active_socket, &fd) == 0) sockets_count(fd);
    unlink_pace(pace);
    pace->held = 0;
}

void pacing_on_socket(struct pace *pace, int fd) {
    struct lane *lane = lane_of(pace->lane);
    if (!lane) return;
    sockets_mark(fd, atomic_load(&lane->is_background));
    sockets_count(fd);
}

// FoundationNetworking cancels by several hand-overs on its one queue, where each waits while libcurl reads up to a hundred
// buffers of a fast connection: seconds at worst.
int pacing_is_over(const struct pace *pace) {
    struct lane *lane = lane_of(pace->lane);
    return lane ? atomic_load_explicit(&lane->is_stopped, memory_order_relaxed) : pace->lane != 0;
}

int pacing_may_receive(struct pace *pace) {
    struct lane *lane = lane_of(pace->lane);
    int64_t rate = lane_rate(lane);
    if (rate <= 0 || !acting) return 1;
    uint64_t now = pacing_now(), wait = debt_wait(&lane->receive, rate, now);
    if (wait < shortest_hold) return 1;
    hold(pace, lane, pause_receive, wait, now);
    return 0;
}

void pacing_received(struct pace *pace, size_t count) {
    struct lane *lane = lane_of(pace->lane);
    if (!lane) return;
    atomic_fetch_add_explicit(&lane->received, (int64_t)count, memory_order_relaxed);
    if (lane_rate(lane) > 0) lane->receive.bytes += (double)count;
}

size_t pacing_room_to_send(struct pace *pace, size_t wanted) {
    struct lane *lane = lane_of(pace->lane);
    int64_t rate = lane_rate(lane);
    if (rate <= 0) return wanted;
    uint64_t now = pacing_now(), wait = debt_wait(&lane->send, rate, now);
    if (wait >= shortest_hold && acting) {
        hold(pace, lane, pause_send, wait, now);
        return 0;
    }
    size_t chunk = rate / 10 < least_chunk ? least_chunk : (size_t)(rate / 10);
    return wanted < chunk ? wanted : chunk;
}

void pacing_sent(struct pace *pace, size_t count) {
    struct lane *lane = lane_of(pace->lane);
    if (!lane) return;
    atomic_fetch_add_explicit(&lane->sent, (int64_t)count, memory_order_relaxed);
    if (lane_rate(lane) > 0) lane->send.bytes += (double)count;
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
        // It may have fired a little early; a time that has come is libcurl's to name anew.
        if (clock->wanted <= now) clock->wanted = 0;
    }
    acting = clock;
    clock->is_acting = 1;
    for (struct pace *pace = clock->held, *next; pace; pace = next) {
        next = pace->next;
        if (pace->until > now + millisecond) continue;
        struct lane *lane = lane_of(pace->lane);
        int64_t rate = lane_rate(lane);
        uint64_t receive = 0, send = 0;
        if (lane && pace->held & pause_receive) receive = debt_wait(&lane->receive, rate, now);
        if (lane && pace->held & pause_send) send = debt_wait(&lane->send, rate, now);
        int held = (receive > millisecond ? pause_receive : 0) | (send > millisecond ? pause_send : 0);
        if (lane && held) atomic_store(&lane->held, now);
        uint64_t wait = receive > millisecond && (send <= millisecond || receive < send) ? receive : send;
        pace->until = now + (wait < longest_hold ? wait : longest_hold);
        if (held == pace->held) continue;
        if (!held) unlink_pace(pace);
        pace->held = held;
        // It may deliver bytes, and so hold the handle anew at the head of the list.
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
