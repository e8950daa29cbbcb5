// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

// Limits each connection to the rate of its limiter. Except for the functions of the public header, all functions are
// called on FoundationNetworking's single serial queue. This queue guards all state that is not atomic.

struct multi_clock;

// Returns the time of CLOCK_MONOTONIC in nanoseconds.
uint64_t pacing_now(void);

// The pacing state of an easy handle.
struct pace {
    void *easy;
    uint64_t limiter;              // 0 if the request has no limiter
    long buffer;                // the receive buffer that FoundationNetworking wants
    int their_pause;            // the pause that FoundationNetworking requested
    int held;                   // the pause for the rate: pause_receive, pause_send
    uint64_t until;             // the time of the next check
    struct multi_clock *clock;
    struct pace *next, **link;  // in the list of paused handles of the multi handle
};

enum { pause_receive = 1, pause_send = 4 };

struct pacing_calls {
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    int (*easy_pause)(void *, int);
};

void pacing_install(const struct pacing_calls *calls);

// Removes the numbers of the limiter and the request from a list of header lines (curl_slist). Stores the limiter's number
// and returns that of the request; 0 if there is none.
uint64_t pacing_read_limiter(struct pace *pace, void *header_lines);

// Returns the receive buffer for the rate of the limiter, given the size that FoundationNetworking requests.
long pacing_buffer(struct pace *pace, long size);

// Called when libcurl names a socket of the handle.
void pacing_on_socket(struct pace *pace, int fd);

// Returns whether the request is no longer wanted. If so, the callbacks must make libcurl end the request.
int pacing_is_stopped(const struct pace *pace);

// Returns whether more bytes of the body may be received now. If not, pauses the handle, and the callback must ask
// libcurl for a pause.
int pacing_may_receive(struct pace *pace);

// Count received and sent bytes of bodies.
void pacing_received(struct pace *pace, size_t count);
void pacing_sent(struct pace *pace, size_t count);

// Returns the number of bytes that may be sent now. Returns 0 if the handle is paused.
size_t pacing_room_to_send(struct pace *pace, size_t wanted);

// Called when FoundationNetworking pauses the handle itself. Returns the pause for libcurl.
int pacing_pause(struct pace *pace, int wanted);

// Called when the handle is removed from its multi handle or freed.
void pacing_forget(struct pace *pace);

// Replace the timer of a multi handle. They receive FoundationNetworking's values and return the values for libcurl.
void *pacing_timer_function(void *multi, void *function);
void *pacing_timer_data(void *multi, void *data);

// Enclose each action of libcurl.
void pacing_before_action(void *multi, int is_timeout);
void pacing_after_action(void *multi);
