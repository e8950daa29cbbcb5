// SPDX-License-Identifier: Apache-2.0
#include "limiter.h"
#include "URLSessionInterposer.h"

#include <stddef.h>
#include <string.h>

enum {
    least_rate = 128,    // a lower rate would make one chunk wait longer than URLSession's timeout
    limiters_count = 4096,
};

// The longest time that can be caught up, in seconds. Covers a late wakeup, but not a pause of the server.
static const double longest_credit = 0.05;

static struct limiter limiters[limiters_count];
static _Atomic uint64_t last_given;

struct limiter *limiter_of(uint64_t id) {
    struct limiter *limiter = &limiters[id % limiters_count];
    return id && atomic_load_explicit(&limiter->id, memory_order_acquire) == id ? limiter : NULL;
}

uint64_t transfer_urlsession_limiter_open(int is_background) {
    for (int tries = 0; tries < limiters_count; tries++) {
        uint64_t id = atomic_fetch_add(&last_given, 1) + 1, free_id = 0;
        struct limiter *limiter = &limiters[id % limiters_count];
        // The limiter is claimed under a number that no header names, then filled, then published.
        if (!atomic_compare_exchange_strong(&limiter->id, &free_id, UINT64_MAX)) continue;
        atomic_store(&limiter->rate, 0);
        atomic_store(&limiter->received, 0);
        atomic_store(&limiter->sent, 0);
        atomic_store(&limiter->held, 0);
        atomic_store(&limiter->is_background, is_background);
        atomic_store(&limiter->is_stopped, 0);
        atomic_store(&limiter->accepts_any_certificate, 0);
        memset(&limiter->receive, 0, sizeof limiter->receive);
        memset(&limiter->send, 0, sizeof limiter->send);
        atomic_store_explicit(&limiter->id, id, memory_order_release);
        return id;
    }
    return 0;
}

void transfer_urlsession_limiter_accept_any_certificate(uint64_t id) {
    struct limiter *limiter = limiter_of(id);
    if (limiter) atomic_store(&limiter->accepts_any_certificate, 1);
}

void transfer_urlsession_limiter_set_rate(uint64_t id, int64_t rate) {
    struct limiter *limiter = limiter_of(id);
    if (limiter) atomic_store(&limiter->rate, rate > 0 && rate < least_rate ? least_rate : rate < 0 ? 0 : rate);
}

struct transfer_urlsession_limiter_state transfer_urlsession_limiter_state(uint64_t id) {
    struct transfer_urlsession_limiter_state state = {0};
    struct limiter *limiter = limiter_of(id);
    if (!limiter) return state;
    state.received = atomic_load(&limiter->received);
    state.sent = atomic_load(&limiter->sent);
    state.held = atomic_load(&limiter->held);
    return state;
}

void transfer_urlsession_limiter_stop(uint64_t id) {
    struct limiter *limiter = limiter_of(id);
    if (limiter) atomic_store(&limiter->is_stopped, 1);
}

void transfer_urlsession_limiter_close(uint64_t id) {
    struct limiter *limiter = limiter_of(id);
    if (limiter) atomic_store_explicit(&limiter->id, 0, memory_order_release);
}

int64_t limiter_rate(struct limiter *limiter) {
    return limiter ? atomic_load_explicit(&limiter->rate, memory_order_relaxed) : 0;
}

uint64_t debt_wait(struct debt *debt, int64_t rate, uint64_t now) {
    double seconds = debt->paid && now > debt->paid ? (double)(now - debt->paid) / (double)second : 0;
    debt->paid = now;
    if (rate <= 0) debt->bytes = 0;
    debt->bytes -= seconds * (double)rate;
    if (debt->bytes < -longest_credit * (double)rate) debt->bytes = -longest_credit * (double)rate;
    return debt->bytes > 0 ? (uint64_t)(debt->bytes / (double)rate * (double)second) : 0;
}
