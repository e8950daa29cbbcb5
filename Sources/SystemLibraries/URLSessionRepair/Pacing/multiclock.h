// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pacing.h"

// The timer of each multi handle. FoundationNetworking has one timer for it, which libcurl sets; we set it earlier
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

// The clock of a multi handle; NULL if there is none and none is to be made.
struct multi_clock *clock_of(void *multi, int makes);

// Sets the timer for libcurl's own time, or for the first held handle if that is due before.
void clock_set_timer(struct multi_clock *clock);
