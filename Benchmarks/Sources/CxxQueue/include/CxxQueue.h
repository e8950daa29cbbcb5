// SPDX-License-Identifier: Apache-2.0
#ifndef CXX_QUEUE_H
#define CXX_QUEUE_H

// A simulated queue in C++, as a reference for the event loop in Swift.

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The outcome of a simulated queue. The Swift and the C++ simulations must produce the same outcome.
typedef struct {
    /// The number of arrivals and departures.
    int64_t events;
    /// The total waiting time of all customers in nanoseconds.
    int64_t waited;
    /// A checksum of the order in which customers were served.
    uint64_t order;
} cxq_simulation;

/// Simulates 64 servers with random arrivals and service times, first come, first served. Consists of an event loop
/// and nothing else.
cxq_simulation cxq_simulate_loop(uint64_t seed, int64_t customers);

#ifdef __cplusplus
}
#endif

#endif
