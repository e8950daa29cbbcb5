// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "include/CxxQueue.h"

#include <limits>
#include <string_view>

namespace cxq {

inline constexpr int64_t never = std::numeric_limits<int64_t>::max();
inline constexpr int64_t always = std::numeric_limits<int64_t>::min();

inline std::string_view view(cxq_text text) { return {text.bytes, text.length}; }

enum class Kind : uint8_t { userInitiated, normal, discretionary };
enum class PowerNeed : uint8_t { any, mains, mainsOrBattery };
enum class MeteredNeed : uint8_t { unstated, allowed, unmetered };

/// Facts a permission relies on, one bit each.
inline constexpr unsigned reliesOnPower = 1, reliesOnNetwork = 2, reliesOnConnection = 4;

/// Everything a verdict follows from except dates and stage, in one word.
struct Requirements {
    uint64_t packed = 0;

    explicit Requirements(const cxq_traits &traits)
        : packed(traits.kind | uint64_t{traits.power} << 2 | uint64_t{traits.battery_above} << 4 |
                 uint64_t{traits.link_kinds} << 11 | uint64_t{traits.metered} << 19 |
                 uint64_t{traits.is_loopback} << 21) {}
    Requirements() = default;

    Kind kind() const { return Kind(packed & 3); }
    PowerNeed power() const { return PowerNeed(packed >> 2 & 3); }
    int batteryAbove() const { return static_cast<int>(packed >> 4 & 127); }
    unsigned linkKinds() const { return static_cast<unsigned>(packed >> 11 & 255); }
    MeteredNeed metered() const { return MeteredNeed(packed >> 19 & 3); }
    bool isLoopback() const { return packed >> 21 & 1; }
    bool isDiscretionary() const { return kind() == Kind::discretionary; }
};

/// The values of all facts in one word: two machines with the same signature allow the same.
struct Signature {
    uint64_t packed = 0;

    Signature() = default;
    Signature(const cxq_facts &facts, uint64_t connection)
        : packed(facts.power.value | uint64_t{facts.battery} << 2 | uint64_t{facts.network.value} << 9 |
                 uint64_t{facts.link_kind.value} << 12 | uint64_t{facts.metered.value} << 15 |
                 uint64_t{facts.roaming.value} << 18 | uint64_t{facts.is_awake} << 20 |
                 uint64_t{facts.power_profile} << 21 | connection << 23) {}

    bool isOnMains() const { return (packed & 3) == 0; }
    bool isOnBattery() const { return (packed & 3) == 1; }
    /// -1 where nobody knows.
    int battery() const {
        const int level = static_cast<int>(packed >> 2 & 127);
        return level == 127 ? -1 : level;
    }
    bool hasNetwork() const { return (packed >> 9 & 7) != 0; }
    bool isUsable() const { return (packed >> 9 & 7) > 1; }
    unsigned linkKind() const { return static_cast<unsigned>(packed >> 12 & 7); }
    bool isMetered() const {
        const unsigned metered = static_cast<unsigned>(packed >> 15 & 7);
        // A link whose price nobody knows counts as free on ethernet and wifi.
        return metered < 2 || (metered == 4 && linkKind() > 1);
    }
    bool isAwake() const { return packed >> 20 & 1; }
};

/// What may run, and relying on which facts.
struct Verdict {
    bool mayRun;
    unsigned relyingOn;
};

/// What is said of all transfers with the same requirements that have reached the same stage of the default policy.
inline Verdict verdict(Requirements needs, int stage, Signature machine, bool isPatienceGone) {
    unsigned relyingOn = 0;
    const auto hasPower = [&](int above) {
        return machine.isOnMains() || (machine.isOnBattery() && machine.battery() > above);
    };
    if (needs.power() != PowerNeed::any) {
        if (!hasPower(needs.power() == PowerNeed::mains ? 100 : needs.batteryAbove())) return {false, 0};
        relyingOn |= reliesOnPower;
    }
    if (!needs.isLoopback()) {
        if (!machine.isUsable()) return {false, 0};
        if (needs.linkKinds() != 0 && (needs.linkKinds() >> machine.linkKind() & 1) == 0) return {false, 0};
        if (needs.metered() == MeteredNeed::unmetered && machine.isMetered()) return {false, 0};
        relyingOn |= reliesOnNetwork;
    }
    if (!needs.isDiscretionary()) return {true, relyingOn};
    if (machine.isOnMains() || !isPatienceGone) {
        constexpr int levels[] = {100, 50, 20};
        if (stage < 3) {
            if (!hasPower(levels[stage])) return {false, 0};
            relyingOn |= reliesOnPower;
        }
    }
    if (!needs.isLoopback() && needs.metered() != MeteredNeed::allowed && machine.isMetered()) return {false, 0};
    return {true, relyingOn};
}

/// Where a transfer with a deadline stands on its way to it, and when the next stage begins.
struct Stage {
    uint8_t number;
    int64_t until;
};

inline Stage stageOf(int64_t submitted, int64_t notBefore, int64_t deadline, int64_t now) {
    if (deadline == never) return {0, never};
    const int64_t begin = submitted > notBefore ? submitted : notBefore;
    const int64_t span = begin < deadline ? deadline - begin : 0;
    // Rounded up: at that date the share is gone.
    const int64_t half = begin + (span - span / 2), threeQuarters = begin + (span - span / 4);
    if (now >= deadline) return {3, never};
    if (now >= threeQuarters) return {2, deadline};
    if (now >= half) return {1, threeQuarters};
    return {0, half};
}

}  // namespace cxq
