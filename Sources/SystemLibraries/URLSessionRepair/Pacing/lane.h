// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdatomic.h>
#include <stdint.h>

// Lanes: the rates of single connections and the bytes that went through them, by numbers that requests carry.

static const uint64_t millisecond = 1000000, second = 1000000000;

// The fewest bytes that libcurl takes at once.
enum { least_chunk = 1024 };

// Bytes that came before they were due, as of a time; negative for a credit.
struct debt { double bytes; uint64_t paid; };

struct lane {
    _Atomic uint64_t id;          // 0 where it is free; its index and how often it was given
    _Atomic int64_t rate;         // bytes a second, 0 for no limit
    _Atomic int64_t received, sent;
    _Atomic uint64_t held;        // when a handle of it was last held
    _Atomic int is_background, is_stopped;
    struct debt receive, send;    // on FoundationNetworking's queue only
};

// The lane of that number; NULL if it was closed or never opened.
struct lane *lane_of(uint64_t id);

// The rate of a lane in bytes a second; 0 for no limit, and for no lane.
int64_t lane_rate(struct lane *lane);

// Nanoseconds until the debt is paid, 0 if there is none.
uint64_t debt_wait(struct debt *debt, int64_t rate, uint64_t now);
