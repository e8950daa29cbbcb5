// SPDX-License-Identifier: Apache-2.0
#ifndef CXX_QUEUE_H
#define CXX_QUEUE_H

// A simulated queue in C++, to measure the event loop in Swift against.

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The outcome of a simulated queue, which must be the same on both sides.
typedef struct {
    /// Arrivals and departures.
    int64_t events;
    /// Nanoseconds that customers waited, all together.
    int64_t waited;
    /// Follows from the order in which they were served.
    uint64_t order;
} cxq_simulation;

/// 64 servers, arrivals and services at random, served in the order of arrival: an event loop and nothing else.
cxq_simulation cxq_simulate_loop(uint64_t seed, int64_t customers);

#ifdef __cplusplus
}
#endif

#endif
