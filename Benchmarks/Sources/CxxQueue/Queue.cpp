// SPDX-License-Identifier: Apache-2.0
#include "Queue.hpp"

#include <algorithm>

namespace cxq {

Queue::Queue(const cxq_settings &settings, cxq_moment now) : settings_(settings), now_(now) {
    cxq_facts facts{};
    facts.power.value = 2;
    facts.battery = 127;
    facts.network.value = facts.metered.value = 4;
    facts.link_kind.value = 6;
    facts.is_awake = true;
    machine_ = Signature(facts, 0);
    patience_.observe(machine_, now.instant);
    startable_.reserve(64);
}

// MARK: Events

void Queue::submitted(int64_t id, const cxq_traits &traits, cxq_moment now) {
    begin(now);
    if (recordOf(id) != none) return end();
    const int32_t cell = cellOf(familyOf(Requirements(traits)), levelOf(traits), laneOf(traits));
    ++cells_[cell].references;
    const int32_t record = records_.take();
    Record &made = records_[record];
    made.id = id;
    made.submitted = traits.submitted;
    made.deadline = traits.deadline;
    made.notBefore = traits.not_before;
    made.expected = traits.expected_bytes;
    made.next = made.previous = made.bucket = made.timer = made.extra = none;
    made.cell = cell;
    made.place = Record::dated;
    index_.insert(record, [this](int32_t item) { return static_cast<uint64_t>(records_[item].id); });
    lastID_ = std::max(lastID_, id);
    place(record);
    end();
}

void Queue::conditionsChanged(const cxq_facts &facts, cxq_moment now) {
    begin(now);
    uint64_t connection = 0;
    if (facts.connection_name.length > 0) {
        const std::string_view name = view(facts.connection_name);
        const auto hashOf = [this](int32_t item) {
            return std::hash<std::string_view>{}(connections_[static_cast<size_t>(item)]);
        };
        int32_t known = connectionTable_.find(std::hash<std::string_view>{}(name), [&](int32_t item) {
            return connections_[static_cast<size_t>(item)] == name;
        });
        if (known == none) {
            known = static_cast<int32_t>(connections_.size());
            connections_.emplace_back(name);
            connectionTable_.insert(known, hashOf);
        }
        connection = static_cast<uint64_t>(known) + 1;
    }
    machine_ = Signature(facts, connection);
    settling_ = Settling(facts, settings_);
    patience_.observe(machine_, now.instant);
    updateAvailability();
    stopWhatMayNotRun();
    end();
}

void Queue::finished(int64_t id, cxq_moment now) {
    begin(now);
    const int32_t record = recordOf(id);
    if (record == none || records_[record].place < Record::running) return end();
    freeSlots(record);
    erase(record);
    emit(CXQ_END_FINISHED, id);
    end();
}

void Queue::stopped(int64_t id, cxq_moment now) {
    begin(now);
    const int32_t record = recordOf(id);
    if (record == none || records_[record].place < Record::running) return end();
    freeSlots(record);
    if (records_[record].place == Record::cancelling) {
        erase(record);
        emit(CXQ_DISCARD, id);
        emit(CXQ_END_CANCELLED, id);
    } else {
        place(record);
    }
    end();
}

void Queue::cancelled(int64_t id, cxq_moment now) {
    begin(now);
    const int32_t record = recordOf(id);
    if (record == none) return end();
    switch (records_[record].place) {
    case Record::dated:
    case Record::listed:
    case Record::heaped:
        withdraw(record);
        erase(record);
        emit(CXQ_DISCARD, id);
        emit(CXQ_END_CANCELLED, id);
        break;
    case Record::running:
        records_[record].place = Record::cancelling;
        emit(CXQ_STOP, id);
        break;
    case Record::stopping:
    case Record::cancelling:
        records_[record].place = Record::cancelling;
        break;
    }
    end();
}

void Queue::woken(cxq_moment now) {
    begin(now);
    end();
}

// MARK: Around each event

void Queue::begin(cxq_moment now) {
    effects_.clear();
    now_ = now;
    if (firstDue_ <= now.wall) lapse();
    if (settling_.unsettled(now.instant) != unsettled_ ||
        patience_.isGone(now.instant, settings_.patience) != isPatienceGone_) {
        updateAvailability();
    }
}

/// Moves what has reached its date, or the policy's next stage.
void Queue::lapse() {
    int64_t first = never;
    for (Family &family : families_) {
        if (family.wheel.earliest(timers_) <= now_.wall) {
            family.wheel.advance(timers_, now_.wall, [this](int32_t timer) {
                const int32_t record = timers_[timer].record;
                timers_.release(timer);
                records_[record].timer = none;
                withdraw(record);
                place(record);
            });
        }
        first = std::min(first, family.wheel.earliest(timers_));
    }
    firstDue_ = first;
}

void Queue::updateAvailability() {
    unsettled_ = settling_.unsettled(now_.instant);
    isPatienceGone_ = patience_.isGone(now_.instant, settings_.patience);
    if (availability_.words() > 0) availability_.update(machine_, isPatienceGone_, unsettled_);
}

void Queue::stopWhatMayNotRun() {
    const size_t effects = effects_.size();
    for (int32_t number : running_) {
        Record &record = records_[number];
        if (record.place != Record::running) continue;
        const Requirements needs = families_[static_cast<size_t>(cells_[record.cell].family)].needs;
        const int stage = needs.isDiscretionary()
                              ? stageOf(record.submitted, record.notBefore, record.deadline, now_.wall).number
                              : 0;
        if (verdict(needs, stage, machine_, isPatienceGone_).mayRun) continue;
        record.place = Record::stopping;
        emit(CXQ_STOP, record.id);
    }
    std::sort(effects_.begin() + static_cast<std::ptrdiff_t>(effects), effects_.end(),
              [](const cxq_effect &left, const cxq_effect &right) { return left.value < right.value; });
}

void Queue::end() {
    dispatch();
    const int64_t wake = nextWake();
    if (wake == plannedWake_) return;
    plannedWake_ = wake;
    emit(CXQ_WAKE, wake);
}

/// When time alone may start something; while no slot is free it cannot.
int64_t Queue::nextWake() {
    int64_t wake = never;
    if (static_cast<int32_t>(running_.size()) >= settings_.global_slots) return wake;
    if (availability_.isAnyAvailable()) {
        int64_t due = never;
        for (Family &family : families_) {
            if (family.wheel.isEmpty()) continue;
            const bool isAvailable = std::ranges::any_of(family.classes, [this](int32_t cls) {
                return cls != none && Availability::contains(availability_.available(), cls);
            });
            if (isAvailable) due = std::min(due, family.wheel.earliest(timers_));
        }
        if (due != never) wake = now_.instant + std::max<int64_t>(1, due - now_.wall);
    }
    if (unsettled_ != 0) {
        availability_.forEachUnsettled(unsettled_, [&](unsigned facts, size_t word, uint64_t classes) {
            if (isOccupied(word, classes)) wake = std::min(wake, settling_.until(facts));
        });
    }
    if (const std::vector<uint64_t> *gained = availability_.gained()) {
        for (size_t word = 0; word < gained->size(); ++word) {
            if (!isOccupied(word, (*gained)[word])) continue;
            wake = std::min(wake, patience_.end(settings_.patience));
        }
    }
    return wake;
}

bool Queue::isOccupied(size_t word, uint64_t classes) const {
    return classes != 0 && std::ranges::any_of(levels_, [=](const Level &level) {
        return word < level.occupied.size() && (level.occupied[word] & classes) != 0;
    });
}

}  // namespace cxq
