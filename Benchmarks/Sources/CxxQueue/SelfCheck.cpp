// SPDX-License-Identifier: Apache-2.0
#include "include/CxxQueue.h"

#include "Queue.hpp"
#include "Scan.hpp"

#include <array>

namespace {

using namespace cxq;

constexpr int64_t second = 1'000'000'000;

/// SplitMix64: Steele, Lea, Flood, OOPSLA 2014.
struct Dice {
    uint64_t state;

    uint64_t next() {
        uint64_t mixed = state += 0x9E3779B97F4A7C15u;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
        return mixed ^ (mixed >> 31);
    }
    int64_t below(int64_t bound) { return static_cast<int64_t>(next() % static_cast<uint64_t>(bound)); }
    bool chance(int64_t percent) { return below(100) < percent; }
};

/// Both sides, the clocks, and what runs.
class Check {
public:
    explicit Check(uint64_t seed)
        : dice_{seed}, now_{100 * second, 1'800'000'000 * second}, queue_(settings(), now_), scan_(settings(), now_) {}

    /// The number of the first event whose effects differ, or 0.
    int64_t run(int64_t transfers) {
        int64_t submitted = 0;
        for (int64_t event = 1;; ++event) {
            now_.instant += dice_.below(8) * second / 4;
            now_.wall = 1'800'000'000 * second + now_.instant;
            const int64_t kind = dice_.below(100);
            // In bursts, so that the backlog grows and shrinks.
            const bool isBurst = event / 1000 % 2 == 0;
            if (submitted < transfers && kind < (isBurst ? 70 : 20)) {
                submit(++submitted);
            } else if (kind < 80 && !running_.empty()) {
                const int64_t id = running_[static_cast<size_t>(dice_.below(static_cast<int64_t>(running_.size())))];
                dice_.chance(80) ? both(&Scheduler::finished, id) : both(&Scheduler::stopped, id);
            } else if (kind < 85) {
                both(&Scheduler::cancelled, 1 + dice_.below(submitted + 1));
            } else if (kind < 92) {
                change();
            } else {
                // Hours pass: dates come, stages follow one another.
                if (dice_.chance(20)) now_.instant += dice_.below(7200) * second;
                now_.wall = 1'800'000'000 * second + now_.instant;
                queue_.woken(now_);
                scan_.woken(now_);
            }
            if (!isSame()) return event;
            if (submitted == transfers && (scan_.openCount() == 0 || event > 6 * transfers)) break;
        }
        return queue_.openCount() == scan_.openCount() ? 0 : -1;
    }

private:
    static cxq_settings settings() {
        cxq_settings settings = cxq_default_settings();
        settings.slots_per_app = 3;
        settings.slots_per_session = 2;
        settings.aging_interval = 5;
        settings.patience = 3600 * second;
        return settings;
    }

    static cxq_text text(const std::string &text) { return {text.data(), text.size()}; }

    void submit(int64_t id) {
        const std::string app = "app" + std::to_string(dice_.below(5));
        const std::string host = "host" + std::to_string(dice_.below(6));
        const std::string session = dice_.chance(40) ? "session" + std::to_string(dice_.below(2)) : "";
        cxq_traits traits{};
        traits.kind = static_cast<uint8_t>(dice_.chance(60) ? 2 : dice_.below(2));
        traits.power = static_cast<uint8_t>(dice_.chance(60) ? 0 : dice_.below(3));
        traits.battery_above = traits.power == 2 ? 30 : 0;
        traits.link_kinds = dice_.chance(30) ? 3 : 0;
        traits.metered = static_cast<uint8_t>(dice_.below(3));
        traits.is_loopback = dice_.chance(5);
        traits.priority = static_cast<int32_t>(250 * (1 + dice_.below(3)));
        traits.slots_per_host = static_cast<int32_t>(dice_.chance(20) ? 1 + dice_.below(3) : 0);
        traits.submitted = now_.wall;
        // Few dates, so that many are equal.
        traits.deadline = dice_.chance(30) ? (now_.wall / second / 600 + 1 + dice_.below(20)) * 600 * second : never;
        traits.not_before = dice_.chance(20) ? now_.wall + dice_.below(3600) * second : always;
        traits.expected_bytes = -1;
        traits.host = text(host);
        traits.app = text(app);
        traits.session = text(session);
        queue_.submitted(id, traits, now_);
        scan_.submitted(id, traits, now_);
    }

    void change() {
        const auto change = [this](cxq_fact &fact, int64_t count) {
            const uint8_t value = static_cast<uint8_t>(dice_.below(count));
            if (value != fact.value) fact = {now_.instant, value, true};
        };
        if (dice_.chance(50)) change(facts_.power, 3);
        facts_.battery = dice_.chance(10) ? 127 : static_cast<uint8_t>(dice_.below(101));
        if (dice_.chance(20)) change(facts_.network, 5);
        if (dice_.chance(30)) change(facts_.link_kind, 3);
        if (dice_.chance(30)) change(facts_.metered, 5);
        facts_.is_awake = dice_.chance(95);
        both(&Scheduler::conditionsChanged, facts_);
    }

    template <class Method, class Argument> void both(Method method, const Argument &argument) {
        (queue_.*method)(argument, now_);
        (scan_.*method)(argument, now_);
    }

    /// Compares what was given out (the scan asks for no wake), and notes what runs now.
    bool isSame() {
        std::vector<cxq_effect> ours = queue_.effects();
        std::erase_if(ours, [](const cxq_effect &effect) { return effect.kind == CXQ_WAKE; });
        const std::vector<cxq_effect> &theirs = scan_.effects();
        const auto isEqual = [](const cxq_effect &left, const cxq_effect &right) {
            return left.kind == right.kind && left.value == right.value;
        };
        if (!std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), isEqual)) return false;
        for (const cxq_effect &effect : ours) {
            if (effect.kind == CXQ_START) running_.push_back(effect.value);
            if (effect.kind == CXQ_END_FINISHED || effect.kind == CXQ_END_CANCELLED) std::erase(running_, effect.value);
        }
        return true;
    }

    Dice dice_;
    cxq_moment now_;
    Queue queue_;
    Scan scan_;
    cxq_facts facts_{};
    std::vector<int64_t> running_;
};

}  // namespace

extern "C" int64_t cxq_self_check(uint64_t seed, int64_t transfers) { return Check(seed).run(transfers); }
