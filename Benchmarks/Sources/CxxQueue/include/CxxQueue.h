// SPDX-License-Identifier: Apache-2.0
#ifndef CXX_QUEUE_H
#define CXX_QUEUE_H

// The waiting queue of the scheduler, ported to C++, and a plain scan of all transfers: what the Swift queue is
// measured against. Both take the same events and give out the same effects. Numbers stand for the cases of the Swift
// enums in the order of their declaration.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A text that the caller owns; copied where it is kept.
typedef struct {
    const char *bytes;
    size_t length;
} cxq_text;

/// Both clocks, in nanoseconds.
typedef struct {
    int64_t instant;
    int64_t wall;
} cxq_moment;

/// What a transfer asks for.
typedef struct {
    /// 0 user-initiated, 1 normal, 2 discretionary.
    uint8_t kind;
    /// 0 any, 1 mains, 2 mains or a battery above `battery_above`.
    uint8_t power;
    uint8_t battery_above;
    /// One bit a kind of link; 0 for any.
    uint8_t link_kinds;
    /// 0 unstated, 1 allowed, 2 unmetered.
    uint8_t metered;
    bool is_loopback;
    int32_t priority;
    /// 0 takes the setting.
    int32_t slots_per_host;
    int64_t submitted;
    /// INT64_MAX for none.
    int64_t deadline;
    /// INT64_MIN for none.
    int64_t not_before;
    /// -1 for unknown.
    int64_t expected_bytes;
    cxq_text host;
    cxq_text app;
    /// No bytes for none.
    cxq_text session;
} cxq_traits;

/// One thing known about the machine.
typedef struct {
    int64_t since;
    uint8_t value;
    bool is_observed_change;
} cxq_fact;

/// The machine at one moment.
typedef struct {
    /// 0 mains, 1 battery, 2 unknown.
    cxq_fact power;
    /// 0...100; 127 for unknown.
    uint8_t battery;
    /// 0 none, 1 portal, 2 limited, 3 full, 4 unknown.
    cxq_fact network;
    /// 0 ethernet, 1 wifi, 2 cellular, 3 bluetooth, 4 usb tether, 5 other, 6 unknown.
    cxq_fact link_kind;
    /// 0 yes, 1 guessed yes, 2 no, 3 guessed no, 4 unknown.
    cxq_fact metered;
    cxq_fact roaming;
    /// The value is of no account: `connection_name` is.
    cxq_fact connection;
    cxq_text connection_name;
    uint8_t power_profile;
    bool is_awake;
} cxq_facts;

/// The settings, each as in `SchedulerConfiguration`; spans in nanoseconds.
typedef struct {
    int32_t global_slots;
    int32_t slots_per_host;
    int32_t slots_per_app;
    int32_t slots_per_session;
    int32_t aging_interval;
    int64_t power_dwell;
    int64_t network_dwell;
    int64_t connection_dwell;
    /// Awake time without mains after which it is not waited for.
    int64_t patience;
} cxq_settings;

enum { CXQ_START = 0, CXQ_STOP = 1, CXQ_DISCARD = 2, CXQ_END_FINISHED = 3, CXQ_END_CANCELLED = 4, CXQ_WAKE = 5 };

/// What is to be done.
typedef struct {
    int32_t kind;
    /// The transfer, or the moment of a wake (INT64_MAX for none).
    int64_t value;
} cxq_effect;

/// Effects of the last event; valid until the next one.
typedef struct {
    const cxq_effect *first;
    size_t count;
} cxq_effects;

/// Either side of the comparison.
typedef struct cxq_scheduler cxq_scheduler;

cxq_settings cxq_default_settings(void);
/// The port of the design.
cxq_scheduler *cxq_create_queue(cxq_settings settings, cxq_moment now);
/// A vector of all transfers that each event goes over.
cxq_scheduler *cxq_create_scan(cxq_settings settings, cxq_moment now);
void cxq_destroy(cxq_scheduler *scheduler);

cxq_effects cxq_submitted(cxq_scheduler *scheduler, int64_t id, const cxq_traits *traits, cxq_moment now);
/// The same, without looking for what may start now where the side is the scan, which else could never be filled.
cxq_effects cxq_loaded(cxq_scheduler *scheduler, int64_t id, const cxq_traits *traits, cxq_moment now);
cxq_effects cxq_conditions_changed(cxq_scheduler *scheduler, const cxq_facts *facts, cxq_moment now);
cxq_effects cxq_finished(cxq_scheduler *scheduler, int64_t id, cxq_moment now);
cxq_effects cxq_stopped(cxq_scheduler *scheduler, int64_t id, cxq_moment now);
cxq_effects cxq_cancelled(cxq_scheduler *scheduler, int64_t id, cxq_moment now);
cxq_effects cxq_woken(cxq_scheduler *scheduler, cxq_moment now);
/// Transfers that are not over.
size_t cxq_open_count(const cxq_scheduler *scheduler);

/// Runs `transfers` random transfers through the queue and the scan, with random events between them.
///
/// Returns 0 where both gave out the same effects, else the number of the event, from 1, where they first differed.
int64_t cxq_self_check(uint64_t seed, int64_t transfers);

/// What a simulated queue came to: both sides must come to the same.
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
/// The same customers as transfers of the scheduler's port, with as many slots as there are servers.
cxq_simulation cxq_simulate_engine(uint64_t seed, int64_t customers);

#ifdef __cplusplus
}
#endif

#endif
