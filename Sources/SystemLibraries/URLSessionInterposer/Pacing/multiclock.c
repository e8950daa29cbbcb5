// SPDX-License-Identifier: Apache-2.0
#include "multiclock.h"
#include "limiter.h"

#include <stdlib.h>

static struct multi_clock *clocks;  // few: one per session

struct multi_clock *clock_of(void *multi, int makes) {
    struct multi_clock *clock = clocks;
    while (clock && clock->multi != multi) clock = clock->next;
    if (clock || !makes || !(clock = calloc(1, sizeof *clock))) return clock;
    clock->multi = multi;
    clock->next = clocks;
    clocks = clock;
    return clock;
}

void clock_set_timer(struct multi_clock *clock) {
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
    if (!clock->is_acting) clock_set_timer(clock);
    return result;
}

void *pacing_timer_function(void *multi, void *function) {
    struct multi_clock *clock = clock_of(multi, 1);
    if (!clock || !function) return function;
    clock->timer = (timer_fn)function;
    clock->wanted = 0;
    clock->is_ours = clock->is_acting = 0;
    clock->set_for = 0;
    clock->held = NULL;  // a new multi handle can reuse an old address
    return (void *)timer_callback;
}

void *pacing_timer_data(void *multi, void *data) {
    struct multi_clock *clock = clock_of(multi, 1);
    if (clock) clock->user = data;
    return data;
}
