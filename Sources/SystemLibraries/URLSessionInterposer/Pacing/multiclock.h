// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pacing.h"

// The timer of each multi handle. FoundationNetworking has a single timer for a multi handle, and libcurl sets that
// timer. If a paused handle is due earlier, this code sets the timer to that time and restores libcurl's time
// afterward.

typedef int (*timer_fn)(void *multi, long milliseconds, void *user);

struct multi_clock {
    void *multi;
    timer_fn timer;
    void *user;
    uint64_t wanted;         // libcurl's own time, 0 for none
    uint64_t set_for;        // the time of the timer, 0 for none
    int is_ours;             // whether this code set the timer
    int is_acting;
    struct pace *held;
    struct multi_clock *next;
};

// Returns the clock of a multi handle. If there is none, creates the clock if `makes` is not 0, or returns NULL.
struct multi_clock *clock_of(void *multi, int makes);

// Sets the timer to libcurl's own time, or to the time of the first paused handle if that time is earlier.
void clock_set_timer(struct multi_clock *clock);
