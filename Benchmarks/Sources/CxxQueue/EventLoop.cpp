// SPDX-License-Identifier: Apache-2.0
#include "include/CxxQueue.h"

#include <cmath>
#include <deque>
#include <queue>
#include <vector>

// The bare event loop of the `lab-events` benchmark. Its Swift counterpart is LabEvents.swift.

namespace {

constexpr int64_t servers = 64;

/// SplitMix64: Steele, Lea, Flood, OOPSLA 2014.
struct Chance {
    uint64_t state;

    uint64_t next() {
        uint64_t mixed = state += 0x9E3779B97F4A7C15u;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
        return mixed ^ (mixed >> 31);
    }
    /// Returns an exponentially distributed time in nanoseconds.
    int64_t time(double mean) {
        return static_cast<int64_t>(-mean * std::log(1 - static_cast<double>(next() >> 11) * 0x1p-53)) + 1;
    }
};

/// The mean service time in nanoseconds. `meanGap` is the mean time between arrivals, for a load of 95 % of the
/// servers' capacity.
constexpr double meanService = 60e9;
constexpr double meanGap = meanService / (servers * 0.95);

struct Departure {
    int64_t time;
    int64_t customer;

    bool operator>(const Departure &other) const {
        return time != other.time ? time > other.time : customer > other.customer;
    }
};

using Departures = std::priority_queue<Departure, std::vector<Departure>, std::greater<Departure>>;

struct Tally {
    cxq_simulation total{0, 0, 14'695'981'039'346'656'037u};

    void served(int64_t customer, int64_t waited) {
        total.waited += waited;
        total.order = (total.order ^ static_cast<uint64_t>(customer)) * 1'099'511'628'211u;
    }
};

}  // namespace

extern "C" cxq_simulation cxq_simulate_loop(uint64_t seed, int64_t customers) {
    Chance chance{seed};
    Departures departures;
    std::deque<std::pair<int64_t, int64_t>> waiting;
    Tally tally;
    int64_t arrived = 0;
    int64_t busy = 0;
    int64_t arrival = chance.time(meanGap);
    const auto serve = [&](int64_t customer, int64_t since, int64_t now) {
        tally.served(customer, now - since);
        departures.push({now + chance.time(meanService), customer});
    };
    while (arrived < customers || !departures.empty()) {
        ++tally.total.events;
        if (arrived < customers && (departures.empty() || arrival <= departures.top().time)) {
            const int64_t now = arrival;
            const int64_t customer = arrived++;
            if (busy < servers) {
                ++busy;
                serve(customer, now, now);
            } else {
                waiting.emplace_back(customer, now);
            }
            arrival = now + chance.time(meanGap);
        } else {
            const int64_t now = departures.top().time;
            departures.pop();
            if (waiting.empty()) {
                --busy;
            } else {
                const auto [customer, since] = waiting.front();
                waiting.pop_front();
                serve(customer, since, now);
            }
        }
    }
    return tally.total;
}
