// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Scheduler.hpp"

#include <string>
#include <unordered_map>

namespace cxq {

/// A plain scheduler: a vector of transfers that each event goes over, comparing a mask of what each needs with what
/// the machine has. Written without the queue's pieces, so that the two check each other.
class Scan final : public Scheduler {
public:
    Scan(const cxq_settings &settings, cxq_moment now);

    void submitted(int64_t id, const cxq_traits &traits, cxq_moment now) override;
    void loaded(int64_t id, const cxq_traits &traits, cxq_moment now) override;
    void conditionsChanged(const cxq_facts &facts, cxq_moment now) override;
    void finished(int64_t id, cxq_moment now) override;
    void stopped(int64_t id, cxq_moment now) override;
    void cancelled(int64_t id, cxq_moment now) override;
    void woken(cxq_moment now) override;
    size_t openCount() const override { return entries_.size(); }

private:
    /// One transfer; 72 bytes, as in the queue.
    struct Entry {
        int64_t id, submitted, deadline, notBefore;
        /// What must hold, one bit each.
        uint64_t needs;
        /// When `needs` has to be made anew.
        int64_t until;
        int32_t requirements, level, host, app, session, hostLimit : 24;
        enum State : uint8_t { waiting, running, stopping, cancelling } state : 8;
    };
    /// Something a transfer may need.
    struct Need {
        enum Kind : uint8_t { network, linkKinds, unmetered, power, settledPower, settledNetwork, policyPower } kind;
        int value;
    };
    struct Level {
        bool isUrgent, hasDeadline;
        int32_t priority;
        int64_t passedOver;
    };
    struct App {
        int32_t running = 0;
        int64_t lastTurn = 0;
    };
    struct Numbers {
        std::unordered_map<std::string, int32_t> numbers;
        int32_t of(std::string name) {
            return numbers.try_emplace(std::move(name), static_cast<int32_t>(numbers.size())).first->second;
        }
    };

    uint64_t bit(Need::Kind kind, int value = 0);
    bool isMet(Need need) const;
    void updateMachine();
    void stage(Entry &entry);
    int32_t levelOf(const cxq_traits &traits);
    bool outranks(int32_t left, int32_t right) const;
    Entry *find(int64_t id);
    void erase(Entry &entry);
    void take(Entry &entry, int32_t count);
    bool precedes(const Entry &left, const Entry &right) const;
    void begin(cxq_moment now);
    void end();

    const cxq_settings settings_;
    cxq_moment now_;
    Signature machine_;
    Settling settling_;
    Patience patience_;
    uint64_t has_ = 0;
    std::vector<Need> needs_;
    std::vector<Entry> entries_;
    std::vector<Requirements> requirements_;
    std::vector<Level> levels_;
    Numbers hosts_, apps_, sessions_, connections_;
    std::vector<int32_t> hostsRunning_, sessionsRunning_;
    std::vector<App> appStates_;
    std::vector<const Entry *> best_;
    int32_t running_ = 0;
    int64_t turns_ = 0;
};

}  // namespace cxq
