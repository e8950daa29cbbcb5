// SPDX-License-Identifier: Apache-2.0
#include "Scan.hpp"

#include <algorithm>

namespace cxq {

Scan::Scan(const cxq_settings &settings, cxq_moment now) : settings_(settings), now_(now) {
    static_assert(sizeof(Entry) == 72);
    cxq_facts facts{};
    facts.power.value = 2;
    facts.battery = 127;
    facts.network.value = facts.metered.value = 4;
    facts.link_kind.value = 6;
    facts.is_awake = true;
    machine_ = Signature(facts, 0);
    patience_.observe(machine_, now.instant);
}

// MARK: What is needed

uint64_t Scan::bit(Need::Kind kind, int value) {
    for (size_t index = 0; index < needs_.size(); ++index) {
        if (needs_[index].kind == kind && needs_[index].value == value) return uint64_t{1} << index;
    }
    needs_.push_back({kind, value});
    if (isMet(needs_.back())) has_ |= uint64_t{1} << (needs_.size() - 1);
    return uint64_t{1} << (needs_.size() - 1);
}

bool Scan::isMet(Need need) const {
    const int64_t now = now_.instant;
    const auto hasPower = [this](int above) {
        return machine_.isOnMains() || (machine_.isOnBattery() && machine_.battery() > above);
    };
    switch (need.kind) {
    case Need::network: return machine_.isUsable();
    case Need::linkKinds: return need.value >> machine_.linkKind() & 1;
    case Need::unmetered: return !machine_.isMetered();
    case Need::power: return hasPower(need.value);
    case Need::settledPower: return now >= settling_.power;
    case Need::settledNetwork: return now >= settling_.network;
    case Need::policyPower:
        if (!machine_.isOnMains() && patience_.isGone(now, settings_.patience)) return true;
        return hasPower(need.value) && now >= settling_.power;
    }
    return false;
}

void Scan::updateMachine() {
    has_ = 0;
    for (size_t index = 0; index < needs_.size(); ++index) {
        if (isMet(needs_[index])) has_ |= uint64_t{1} << index;
    }
}

void Scan::stage(Entry &entry) {
    const Requirements what = requirements_[static_cast<size_t>(entry.requirements)];
    entry.needs = 0;
    entry.until = never;
    if (what.power() != PowerNeed::any) {
        entry.needs |= bit(Need::power, what.power() == PowerNeed::mains ? 100 : what.batteryAbove());
        if (what.isDiscretionary()) entry.needs |= bit(Need::settledPower);
    }
    if (!what.isLoopback()) {
        entry.needs |= bit(Need::network);
        if (what.linkKinds() != 0) entry.needs |= bit(Need::linkKinds, static_cast<int>(what.linkKinds()));
        const bool keepsToFree = what.isDiscretionary() && what.metered() != MeteredNeed::allowed;
        if (keepsToFree || what.metered() == MeteredNeed::unmetered) entry.needs |= bit(Need::unmetered);
        if (what.isDiscretionary()) entry.needs |= bit(Need::settledNetwork);
    }
    if (!what.isDiscretionary()) return;
    const Stage stage = stageOf(entry.submitted, entry.notBefore, entry.deadline, now_.wall);
    constexpr int levels[] = {100, 50, 20};
    if (stage.number < 3) entry.needs |= bit(Need::policyPower, levels[stage.number]);
    entry.until = stage.until;
}

int32_t Scan::levelOf(const cxq_traits &traits) {
    const bool isUrgent = traits.kind == 0, hasDeadline = traits.deadline != never;
    for (size_t index = 0; index < levels_.size(); ++index) {
        const Level &level = levels_[index];
        if (level.isUrgent == isUrgent && level.hasDeadline == hasDeadline && level.priority == traits.priority) {
            return static_cast<int32_t>(index);
        }
    }
    levels_.push_back({isUrgent, hasDeadline, traits.priority, 0});
    best_.push_back(nullptr);
    return static_cast<int32_t>(levels_.size() - 1);
}

bool Scan::outranks(int32_t left, int32_t right) const {
    const Level &first = levels_[static_cast<size_t>(left)], &second = levels_[static_cast<size_t>(right)];
    if (first.isUrgent != second.isUrgent) return first.isUrgent;
    if (first.priority != second.priority) return first.priority > second.priority;
    return first.hasDeadline && !second.hasDeadline;
}

// MARK: Events

void Scan::submitted(int64_t id, const cxq_traits &traits, cxq_moment now) {
    loaded(id, traits, now);
    end();
}

void Scan::loaded(int64_t id, const cxq_traits &traits, cxq_moment now) {
    begin(now);
    const Requirements what(traits);
    const auto known = std::ranges::find(requirements_, what.packed, &Requirements::packed);
    const int32_t requirements = static_cast<int32_t>(known - requirements_.begin());
    if (known == requirements_.end()) requirements_.push_back(what);
    const std::string app(view(traits.app)), session(view(traits.session));
    Entry entry{id, traits.submitted, traits.deadline, traits.not_before, 0, never, requirements, 0, 0, 0, -1, 0,
                Entry::waiting};
    entry.level = levelOf(traits);
    entry.host = hosts_.of(std::string(view(traits.host)));
    entry.app = apps_.of(app);
    if (!session.empty()) entry.session = sessions_.of(app + '\0' + session);
    entry.hostLimit = std::max(1, traits.slots_per_host > 0 ? traits.slots_per_host : settings_.slots_per_host);
    hostsRunning_.resize(hosts_.numbers.size());
    sessionsRunning_.resize(sessions_.numbers.size());
    appStates_.resize(apps_.numbers.size());
    stage(entry);
    entries_.push_back(entry);
}

void Scan::conditionsChanged(const cxq_facts &facts, cxq_moment now) {
    begin(now);
    machine_ = Signature(facts, static_cast<uint64_t>(connections_.of(std::string(view(facts.connection_name)))));
    settling_ = Settling(facts, settings_);
    patience_.observe(machine_, now.instant);
    updateMachine();
    const uint64_t has = has_;
    // What runs does not wait for facts to settle.
    for (size_t index = 0; index < needs_.size(); ++index) {
        const Need need = needs_[index];
        const bool isPower = need.kind == Need::policyPower && isMet({Need::power, need.value});
        if (need.kind == Need::settledPower || need.kind == Need::settledNetwork || isPower) {
            has_ |= uint64_t{1} << index;
        }
    }
    const size_t effects = effects_.size();
    for (Entry &entry : entries_) {
        if (entry.state != Entry::running) continue;
        stage(entry);
        if ((entry.needs & ~has_) == 0) continue;
        entry.state = Entry::stopping;
        emit(CXQ_STOP, entry.id);
    }
    std::sort(effects_.begin() + static_cast<std::ptrdiff_t>(effects), effects_.end(),
              [](const cxq_effect &left, const cxq_effect &right) { return left.value < right.value; });
    has_ = has;
    updateMachine();
    end();
}

void Scan::finished(int64_t id, cxq_moment now) {
    begin(now);
    Entry *entry = find(id);
    if (entry != nullptr && entry->state != Entry::waiting) {
        take(*entry, -1);
        erase(*entry);
        emit(CXQ_END_FINISHED, id);
    }
    end();
}

void Scan::stopped(int64_t id, cxq_moment now) {
    begin(now);
    Entry *entry = find(id);
    if (entry != nullptr && entry->state != Entry::waiting) {
        take(*entry, -1);
        if (entry->state == Entry::cancelling) {
            erase(*entry);
            emit(CXQ_DISCARD, id);
            emit(CXQ_END_CANCELLED, id);
        } else {
            entry->state = Entry::waiting;
            stage(*entry);
        }
    }
    end();
}

void Scan::cancelled(int64_t id, cxq_moment now) {
    begin(now);
    if (Entry *entry = find(id); entry != nullptr) {
        if (entry->state == Entry::waiting) {
            erase(*entry);
            emit(CXQ_DISCARD, id);
            emit(CXQ_END_CANCELLED, id);
        } else {
            if (entry->state == Entry::running) emit(CXQ_STOP, id);
            entry->state = Entry::cancelling;
        }
    }
    end();
}

void Scan::woken(cxq_moment now) {
    begin(now);
    end();
}

// MARK: Passes

void Scan::begin(cxq_moment now) {
    effects_.clear();
    now_ = now;
    updateMachine();
}

Scan::Entry *Scan::find(int64_t id) {
    for (Entry &entry : entries_) {
        if (entry.id == id) return &entry;
    }
    return nullptr;
}

void Scan::erase(Entry &entry) {
    entry = entries_.back();
    entries_.pop_back();
}

void Scan::take(Entry &entry, int32_t count) {
    running_ += count;
    hostsRunning_[static_cast<size_t>(entry.host)] += count;
    appStates_[static_cast<size_t>(entry.app)].running += count;
    if (entry.session >= 0) sessionsRunning_[static_cast<size_t>(entry.session)] += count;
}

bool Scan::precedes(const Entry &left, const Entry &right) const {
    if (left.deadline != right.deadline) return left.deadline < right.deadline;
    const int64_t leftTurn = appStates_[static_cast<size_t>(left.app)].lastTurn;
    const int64_t rightTurn = appStates_[static_cast<size_t>(right.app)].lastTurn;
    return leftTurn != rightTurn ? leftTurn < rightTurn : left.id < right.id;
}

/// Goes over all transfers, also where no slot is free: that is how a scan learns who waits for what.
void Scan::end() {
    while (true) {
        std::ranges::fill(best_, nullptr);
        for (Entry &entry : entries_) {
            if (entry.state != Entry::waiting) continue;
            if (entry.until <= now_.wall) stage(entry);
            if ((entry.needs & ~has_) != 0 || now_.wall < entry.notBefore) continue;
            if (hostsRunning_[static_cast<size_t>(entry.host)] >= entry.hostLimit ||
                appStates_[static_cast<size_t>(entry.app)].running >= settings_.slots_per_app ||
                (entry.session >= 0 &&
                 sessionsRunning_[static_cast<size_t>(entry.session)] >= settings_.slots_per_session)) {
                continue;
            }
            const Entry *&best = best_[static_cast<size_t>(entry.level)];
            if (best == nullptr || precedes(entry, *best)) best = &entry;
        }
        if (running_ >= settings_.global_slots) return;
        int32_t highest = -1, aged = -1;
        for (int32_t level = 0; level < static_cast<int32_t>(levels_.size()); ++level) {
            if (best_[static_cast<size_t>(level)] == nullptr) continue;
            if (highest < 0 || outranks(level, highest)) highest = level;
            const int64_t count = levels_[static_cast<size_t>(level)].passedOver;
            if (count < settings_.aging_interval) continue;
            const int64_t most = aged < 0 ? -1 : levels_[static_cast<size_t>(aged)].passedOver;
            if (count > most || (count == most && outranks(level, aged))) aged = level;
        }
        if (highest < 0) return;
        const int32_t chosen = aged >= 0 ? aged : highest;
        for (int32_t level = 0; level < static_cast<int32_t>(levels_.size()); ++level) {
            if (best_[static_cast<size_t>(level)] != nullptr && outranks(chosen, level)) {
                ++levels_[static_cast<size_t>(level)].passedOver;
            }
        }
        levels_[static_cast<size_t>(chosen)].passedOver = 0;
        Entry &entry = entries_[static_cast<size_t>(best_[static_cast<size_t>(chosen)] - entries_.data())];
        entry.state = Entry::running;
        take(entry, 1);
        appStates_[static_cast<size_t>(entry.app)].lastTurn = ++turns_;
        emit(CXQ_START, entry.id);
    }
}

}  // namespace cxq
