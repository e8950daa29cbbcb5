// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

// Holds each connection to the rate of its lane. All functions but those of the public header are called on
// FoundationNetworking's one serial queue, which is what guards what is not atomic.

struct multi_clock;

// Nanoseconds of CLOCK_MONOTONIC.
uint64_t pacing_now(void);

// What pacing knows of one easy handle.
struct pace {
    void *easy;
    uint64_t lane;              // 0 where the request carried none
    long buffer;                // its receive buffer as FoundationNetworking wants it
    int their_pause;            // what FoundationNetworking asked for itself
    int held;                   // what we hold: pause_receive, pause_send
    uint64_t until;             // when to look again
    struct multi_clock *clock;
    struct pace *next, **link;  // among what its multi handle holds
};

enum { pause_receive = 1, pause_send = 4 };

struct pacing_calls {
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    int (*easy_pause)(void *, int);
};

void pacing_install(const struct pacing_calls *calls);

// Takes the lane's number out of a list of header lines (curl_slist).
void pacing_take_lane(struct pace *pace, void *header_lines);

// FoundationNetworking asks for a receive buffer of that size: returns what the lane's rate is to have.
long pacing_buffer(struct pace *pace, long size);

// libcurl names a socket of the handle.
void pacing_on_socket(struct pace *pace, int fd);

// Whether nobody wants bytes any more: its callbacks have to tell libcurl to end the request.
int pacing_is_over(const struct pace *pace);

// Whether more of the body may come now; else the handle is held, and its callback has to ask libcurl for a pause.
int pacing_may_receive(struct pace *pace);

// Body bytes came or went.
void pacing_received(struct pace *pace, size_t count);
void pacing_sent(struct pace *pace, size_t count);

// How many bytes may be sent now; 0 where the handle is held.
size_t pacing_room_to_send(struct pace *pace, size_t wanted);

// FoundationNetworking pauses the handle itself: returns what is to be asked of libcurl.
int pacing_pause(struct pace *pace, int wanted);

// The handle leaves its multi handle or is freed.
void pacing_forget(struct pace *pace);

// The timer of a multi handle: what FoundationNetworking set, and what libcurl is to get instead.
void *pacing_timer_function(void *multi, void *function);
void *pacing_timer_data(void *multi, void *data);

// Around each action of libcurl.
void pacing_before_action(void *multi, int is_timeout);
void pacing_after_action(void *multi);
