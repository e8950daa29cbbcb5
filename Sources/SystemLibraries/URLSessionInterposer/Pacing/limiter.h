// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdatomic.h>
#include <stdint.h>

// Limiters: the rates and byte counts of single connections. Requests refer to their limiters by number.

static const uint64_t millisecond = 1000000, second = 1000000000;

// The smallest number of bytes that libcurl accepts at a time.
enum { least_chunk = 1024 };

// The bytes that were transferred before they were due, at the time `paid`. Negative for a credit.
struct debt { double bytes; uint64_t paid; };

struct limiter {
    _Atomic uint64_t id;          // 0 if free; otherwise index and count of uses
    _Atomic int64_t rate;         // bytes per second, 0 for no limit
    _Atomic int64_t received, sent;
    _Atomic uint64_t held;        // the last time at which a handle was paused
    _Atomic int is_background, is_stopped, accepts_any_certificate;
    struct debt receive, send;    // only on FoundationNetworking's queue
};

// Returns the limiter with the given number, or NULL if the limiter was closed or never opened.
struct limiter *limiter_of(uint64_t id);

// Returns the rate of a limiter in bytes per second. Returns 0 if there is no limit or no limiter.
int64_t limiter_rate(struct limiter *limiter);

// Returns the time until the debt is paid off in nanoseconds, or 0 if there is no debt.
uint64_t debt_wait(struct debt *debt, int64_t rate, uint64_t now);
