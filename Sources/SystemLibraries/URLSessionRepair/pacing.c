// SPDX-License-Identifier: Apache-2.0
//
// Rates of single connections, changed at any time. libcurl's own limit (CURLOPT_MAX_RECV_SPEED_LARGE) measures from the
// start of a window of 3 s and more, so that after a step down it stands still until the whole window has become slow
// enough: minutes. Here a lane has a debt in bytes, which its rate pays off; while there is any, its handle is paused.
// A paused handle asks for no socket events, so that the kernel's buffer fills and TCP slows the sender down.
#define _GNU_SOURCE
#include "pacing.h"
#include "URLSessionRepair.h"
#include "libcurl.h"
#include "sockets.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    least_chunk = 1024,  // libcurl takes no less
    least_rate = 128,    // else one chunk would be waited for longer than URLSession does
    lanes_count = 4096,
};

static const uint64_t millisecond = 1000000, second = 1000000000;
// Debts shorter than this are gathered, since each hold costs FoundationNetworking two timers and two event sources.
static const uint64_t shortest_hold = 10 * 1000000;
// A held handle is looked at this often, since its rate may have changed.
static const uint64_t longest_hold = 100 * 1000000;
// In seconds. A late wake is made up for, a server's pause is not.
static const double longest_credit = 0.05;

static struct pacing_calls calls;

uint64_t pacing_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

void pacing_install(const struct pacing_calls *given) { calls = *given; }

// ---- Lanes

struct debt { double bytes; uint64_t paid; };

struct lane {
    _Atomic uint64_t id;          // 0 where it is free; its index and how often it was given
    _Atomic int64_t rate;         // bytes a second, 0 for no limit
    _Atomic int64_t received, sent;
    _Atomic uint64_t held;        // when a handle of it was last held
    _Atomic int is_background, is_stopped;
    struct debt receive, send;    // on FoundationNetworking's queue only
};

static struct lane lanes[lanes_count];
static _Atomic uint64_t last_given;

static struct lane *lane_of(uint64_t id) {
    struct lane *lane = &lanes[id % lanes_count];
    return id && atomic_load_explicit(&lane->id, memory_order_acquire) == id ? lane : NULL;
}

uint64_t transfer_urlsession_lane_open(int is_background) {
    for (int tries = 0; tries < lanes_count; tries++) {
        uint64_t id = atomic_fetch_add(&last_given, 1) + 1, nobody = 0;
        struct lane *lane = &lanes[id % lanes_count];
        // Taken under a number that no header names, filled, then told.
        if (!atomic_compare_exchange_strong(&lane->id, &nobody, UINT64_MAX)) continue;
        atomic_store(&lane->rate, 0);
        atomic_store(&lane->received, 0);
        atomic_store(&lane->sent, 0);
        atomic_store(&lane->held, 0);
        atomic_store(&lane->is_background, is_background);
        atomic_store(&lane->is_stopped, 0);
        memset(&lane->receive, 0, sizeof lane->receive);
        memset(&lane->send, 0, sizeof lane->send);
        atomic_store_explicit(&lane->id, id, memory_order_release);
        return id;
    }
    return 0;
}

void transfer_urlsession_lane_set_rate(uint64_t id, int64_t rate) {
    struct lane *lane = lane_of(id);
    if (lane) atomic_store(&lane->rate, rate > 0 && rate < least_rate ? least_rate : rate < 0 ? 0 : rate);
}

struct transfer_urlsession_lane_state transfer_urlsession_lane_state(uint64_t id) {
    struct transfer_urlsession_lane_state state = {0};
    struct lane *lane = lane_of(id);
    if (!lane) return state;
    state.received = atomic_load(&lane->received);
    state.sent = atomic_load(&lane->sent);
    state.held = atomic_load(&lane->held);
    return state;
}

void transfer_urlsession_lane_stop(uint64_t id) {
    struct lane *lane = lane_of(id);
    if (lane) atomic_store(&lane->is_stopped, 1);
}

void transfer_urlsession_lane_close(uint64_t id) {
    struct lane *lane = lane_of(id);
    if (lane) atomic_store_explicit(&lane->id, 0, memory_order_release);
}

// Nanoseconds until the debt is paid, 0 where there is none.
static uint64_t wait_of(struct debt *debt, int64_t rate, uint64_t now) {
    double seconds = debt->paid && now > debt->paid ? (double)(now - debt->paid) / (double)second : 0;
    debt->paid = now;
    if (rate <= 0) debt->bytes = 0;
    debt->bytes -= seconds * (double)rate;
    if (debt->bytes < -longest_credit * (double)rate) debt->bytes = -longest_credit * (double)rate;
    return debt->bytes > 0 ? (uint64_t)(debt->bytes / (double)rate * (double)second) : 0;
}

// ---- The timer of each multi handle. FoundationNetworking has one timer for it, which libcurl sets; we set it earlier
// where a held handle is due before, and put libcurl's time back afterwards.

typedef int (*timer_fn)(void *multi, long milliseconds, void *user);

struct multi_clock {
    void *multi;
    timer_fn timer;
    void *user;
    uint64_t wanted;         // libcurl's own time, 0 for none
    uint64_t set_for;        // the time for which the timer is set, 0 for none
    int is_ours;             // it was set by us
    int is_acting;
    struct pace *held;
    struct multi_clock *next;
};

static struct multi_clock *clocks;  // few: one a session
static struct multi_clock *acting;

static struct multi_clock *clock_of(void *multi, int makes) {
    struct multi_clock *clock = clocks;
    while (clock && clock->multi != multi) clock = clock->next;
    if (clock || !makes || !(clock = calloc(1, sizeof *clock))) return clock;
    clock->multi = multi;
    clock->next = clocks;
    clocks = clock;
    return clock;
}

static void set_timer(struct multi_clock *clock) {
    if (!clock->timer || (!clock->held && !clock->is_ours)) return;
    uint64_t time = clock->wanted;
    for (struct pace *pace = clock->held; pace; pace = pace->next) {
        if (time == 0 || pace->until < time) time = pace->until;
    }
    if (time == clock->set_for) return;
    clock->set_for = time;
    clock->is_ours = clock->held != NULL;
    uint64_t now = pacing_now();
    long wait = time == 0 ? -1 : time > now + millisecond ? (long)((time - now) / millisecond) : 1;
    clock->timer(clock->multi, wait, clock->user);
}

static int timer_callback(void *multi, long milliseconds, void *user) {
    (void)user;
    struct multi_clock *clock = clock_of(multi, 0);
    if (!clock || !clock->timer) return 0;
    clock->wanted = milliseconds < 0 ? 0 : pacing_now() + (uint64_t)milliseconds * millisecond;
    clock->is_ours = 0;
    clock->set_for = clock->wanted;
    int result = clock->timer(multi, milliseconds, clock->user);
    if (!clock->is_acting) set_timer(clock);
    return result;
}

void *pacing_timer_function(void *multi, void *function) {
    struct multi_clock *clock = clock_of(multi, 1);
    if (!clock || !function) return function;
    clock->timer = (timer_fn)function;
    clock->wanted = 0;
    clock->is_ours = clock->is_acting = 0;
    clock->set_for = 0;
    clock->held = NULL;  // a new one at an old one's address
    return (void *)timer_callback;
}

void *pacing_timer_data(void *multi, void *data) {
    struct multi_clock *clock = clock_of(multi, 1);
    if (clock) clock->user = data;
    return data;
}

// ---- Handles

// A tenth of a second at a time, so that slow is not bursty.
static long fitting(struct pace *pace) {
    struct lane *lane = lane_of(pace->lane);
    int64_t chunk = lane ? atomic_load(&lane->rate) / 10 : 0;
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
    if (!lane || atomic_load(&lane->rate) <= 0) return;
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
    int64_t rate = lane ? atomic_load_explicit(&lane->rate, memory_order_relaxed) : 0;
    if (rate <= 0 || !acting) return 1;
    uint64_t now = pacing_now(), wait = wait_of(&lane->receive, rate, now);
    if (wait < shortest_hold) return 1;
    hold(pace, lane, pause_receive, wait, now);
    return 0;
}

void pacing_received(struct pace *pace, size_t count) {
    struct lane *lane = lane_of(pace->lane);
    if (!lane) return;
    atomic_fetch_add_explicit(&lane->received, (int64_t)count, memory_order_relaxed);
    if (atomic_load_explicit(&lane->rate, memory_order_relaxed) > 0) lane->receive.bytes += (double)count;
}

size_t pacing_room_to_send(struct pace *pace, size_t wanted) {
    struct lane *lane = lane_of(pace->lane);
    int64_t rate = lane ? atomic_load_explicit(&lane->rate, memory_order_relaxed) : 0;
    if (rate <= 0) return wanted;
    uint64_t now = pacing_now(), wait = wait_of(&lane->send, rate, now);
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
    if (atomic_load_explicit(&lane->rate, memory_order_relaxed) > 0) lane->send.bytes += (double)count;
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
        int64_t rate = lane ? atomic_load(&lane->rate) : 0;
        uint64_t receive = 0, send = 0;
        if (lane && pace->held & pause_receive) receive = wait_of(&lane->receive, rate, now);
        if (lane && pace->held & pause_send) send = wait_of(&lane->send, rate, now);
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
    set_timer(clock);
}
