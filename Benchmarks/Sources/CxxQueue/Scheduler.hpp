// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Requirements.hpp"

#include <vector>

namespace cxq {

/// What the queue and the scan have in common: the events they take, and the effects of the last one.
class Scheduler {
public:
    virtual ~Scheduler() = default;
    virtual void submitted(int64_t id, const cxq_traits &traits, cxq_moment now) = 0;
    virtual void loaded(int64_t id, const cxq_traits &traits, cxq_moment now) { submitted(id, traits, now); }
    virtual void conditionsChanged(const cxq_facts &facts, cxq_moment now) = 0;
    virtual void finished(int64_t id, cxq_moment now) = 0;
    virtual void stopped(int64_t id, cxq_moment now) = 0;
    virtual void cancelled(int64_t id, cxq_moment now) = 0;
    virtual void woken(cxq_moment now) = 0;
    virtual size_t openCount() const = 0;

    /// What the last event gave out.
    const std::vector<cxq_effect> &effects() const { return effects_; }

protected:
    void emit(int32_t kind, int64_t value) { effects_.push_back({kind, value}); }

    std::vector<cxq_effect> effects_;
};

/// Until when each group of facts has to settle.
struct Settling {
    int64_t power = always;
    int64_t network = always;
    int64_t connection = always;

    Settling() = default;
    Settling(const cxq_facts &facts, const cxq_settings &settings) {
        const auto until = [](const cxq_fact &fact, int64_t dwell) {
            return fact.is_observed_change ? fact.since + dwell : always;
        };
        const auto later = [](int64_t left, int64_t right) { return left > right ? left : right; };
        power = until(facts.power, settings.power_dwell);
        network = later(until(facts.network, settings.network_dwell),
                        later(until(facts.link_kind, settings.network_dwell),
                              until(facts.metered, settings.network_dwell)));
        connection = later(until(facts.connection, settings.connection_dwell),
                           until(facts.roaming, settings.connection_dwell));
    }

    /// The facts that have not settled at `now`.
    unsigned unsettled(int64_t now) const {
        return (now < power ? reliesOnPower : 0u) | (now < network ? reliesOnNetwork : 0u) |
               (now < connection ? reliesOnConnection : 0u);
    }
    /// When the next of them has; `never` where all have.
    int64_t next(int64_t now) const {
        int64_t next = never;
        for (int64_t until : {power, network, connection}) {
            if (now < until && until < next) next = until;
        }
        return next;
    }
    /// When all of `facts` have.
    int64_t until(unsigned facts) const {
        int64_t last = always;
        if (facts & reliesOnPower && power > last) last = power;
        if (facts & reliesOnNetwork && network > last) last = network;
        if (facts & reliesOnConnection && connection > last) last = connection;
        return last;
    }
};

/// Awake time without mains, which is not waited for without end.
struct Patience {
    int64_t waited = 0;
    int64_t since = 0;
    bool isCounting = false;

    void observe(Signature machine, int64_t now) {
        if (isCounting) waited += now - since;
        if (machine.isOnMains()) waited = 0;
        since = now;
        isCounting = machine.isAwake() && !machine.isOnMains();
    }
    bool isGone(int64_t now, int64_t patience) const { return waited + (isCounting ? now - since : 0) >= patience; }
    /// When it will be gone, if nothing changes before.
    int64_t end(int64_t patience) const {
        return isCounting && patience - waited < never - since ? since + (patience - waited) : never;
    }
};

}  // namespace cxq
