// SPDX-License-Identifier: Apache-2.0
#include "lane.h"
#include "URLSessionRepair.h"

#include <stddef.h>
#include <string.h>

enum {
    least_rate = 128,    // a lower rate would make one chunk wait longer than URLSession's timeout
    lanes_count = 4096,
};

// The longest time that can be caught up, in seconds. Covers a late wakeup, but not a pause of the server.
static const double longest_credit = 0.05;

static struct lane lanes[lanes_count];
static _Atomic uint64_t last_given;

struct lane *lane_of(uint64_t id) {
    struct lane *lane = &lanes[id % lanes_count];
    return id && atomic_load_explicit(&lane->id, memory_order_acquire) == id ? lane : NULL;
}

uint64_t transfer_urlsession_lane_open(int is_background) {
    for (int tries = 0; tries < lanes_count; tries++) {
        uint64_t id = atomic_fetch_add(&last_given, 1) + 1, nobody = 0;
        struct lane *lane = &lanes[id % lanes_count];
        // The lane is claimed under a number that no header names, then filled, then published.
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

int64_t lane_rate(struct lane *lane) {
    return lane ? atomic_load_explicit(&lane->rate, memory_order_relaxed) : 0;
}

uint64_t debt_wait(struct debt *debt, int64_t rate, uint64_t now) {
    double seconds = debt->paid && now > debt->paid ? (double)(now - debt->paid) / (double)second : 0;
    debt->paid = now;
    if (rate <= 0) debt->bytes = 0;
    debt->bytes -= seconds * (double)rate;
    if (debt->bytes < -longest_credit * (double)rate) debt->bytes = -longest_credit * (double)rate;
    return debt->bytes > 0 ? (uint64_t)(debt->bytes / (double)rate * (double)second) : 0;
}
