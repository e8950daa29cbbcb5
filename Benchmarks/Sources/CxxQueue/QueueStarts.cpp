// SPDX-License-Identifier: Apache-2.0
#include "Queue.hpp"

#include <bit>

// Which transfer starts next.

namespace cxq {

/// The entry of a shelf that may start now, any or the best; what is found full on the way is parked.
int32_t Queue::firstOf(Shelf &shelf, bool mustBeBest) {
    while (!shelf.entries.empty()) {
        if (shelf.best == none ||
            (mustBeBest && apps_[shelf.entries[static_cast<size_t>(shelf.best)].app].lastTurn != shelf.bestTurn)) {
            size_t best = 0;
            for (size_t entry = 1; entry < shelf.entries.size(); ++entry) {
                if (precedes(shelf.entries[entry], shelf.entries[best])) best = entry;
            }
            shelf.best = static_cast<int32_t>(best);
            shelf.bestTurn = apps_[shelf.entries[best].app].lastTurn;
        }
        const Shelf::Entry entry = shelf.entries[static_cast<size_t>(shelf.best)];
        App &app = apps_[entry.app];
        if (app.running >= settings_.slots_per_app) {
            leaveShelf(entry.queue);
            AppQueue &queue = queues_[entry.queue];
            queue.place = AppQueue::parked;
            queue.position = static_cast<int32_t>(app.parked.size());
            app.parked.push_back(entry.queue);
            continue;
        }
        const Lane &lane = lanes_[entry.lane];
        if (hosts_[lane.host].running >= lane.hostLimit) {
            park(queues_[entry.queue].heap.front().bucket, Bucket::onHost);
        } else if (lane.session != none && sessions_[lane.session].running >= settings_.slots_per_session) {
            park(queues_[entry.queue].heap.front().bucket, Bucket::onSession);
        } else {
            return shelf.best;
        }
    }
    return none;
}

void Queue::dispatch() {
    while (availability_.isAnyAvailable() && static_cast<int32_t>(running_.size()) < settings_.global_slots) {
        startable_.clear();
        size_t chosen = 0;
        for (int32_t number : ranked_) {
            const Level &level = levels_[static_cast<size_t>(number)];
            if (!hasStartable(level)) continue;
            startable_.push_back(number);
            // Equal counts leave it to the rank.
            if (level.passedOver >= settings_.aging_interval &&
                level.passedOver > levels_[static_cast<size_t>(startable_[chosen])].passedOver) {
                chosen = startable_.size() - 1;
            }
        }
        if (startable_.empty()) return;
        Level &level = levels_[static_cast<size_t>(startable_[chosen])];
        start(headOf(buckets_[bestBucket(level)]));
        level.passedOver = 0;
        for (size_t lower = chosen + 1; lower < startable_.size(); ++lower) {
            ++levels_[static_cast<size_t>(startable_[lower])].passedOver;
        }
    }
}

bool Queue::hasStartable(const Level &level) {
    for (size_t word = 0; word < level.occupied.size(); ++word) {
        for (uint64_t rest = level.occupied[word] & availability_.available()[word]; rest != 0; rest &= rest - 1) {
            const size_t cls = word << 6 | static_cast<size_t>(std::countr_zero(rest));
            if (firstOf(shelves_[level.shelves[cls]], false) != none) return true;
        }
    }
    return false;
}

int32_t Queue::bestBucket(const Level &level) {
    const Shelf::Entry *best = nullptr;
    for (size_t word = 0; word < level.occupied.size(); ++word) {
        for (uint64_t rest = level.occupied[word] & availability_.available()[word]; rest != 0; rest &= rest - 1) {
            Shelf &shelf = shelves_[level.shelves[word << 6 | static_cast<size_t>(std::countr_zero(rest))]];
            const int32_t first = firstOf(shelf, true);
            if (first == none) continue;
            const Shelf::Entry &entry = shelf.entries[static_cast<size_t>(first)];
            if (best == nullptr || precedes(entry, *best)) best = &entry;
        }
    }
    return queues_[best->queue].heap.front().bucket;
}

void Queue::start(int32_t number) {
    withdraw(number);
    Record &record = records_[number];
    record.place = Record::running;
    record.previous = static_cast<int32_t>(running_.size());
    running_.push_back(number);
    const Lane &lane = lanes_[cells_[record.cell].lane];
    ++hosts_[lane.host].running;
    if (lane.session != none) ++sessions_[lane.session].running;
    ++apps_[lane.app].running;
    apps_[lane.app].lastTurn = ++turns_;
    emit(CXQ_START, record.id);
}

void Queue::freeSlots(int32_t number) {
    const int32_t position = records_[number].previous, last = running_.back();
    running_[static_cast<size_t>(position)] = last;
    records_[last].previous = position;
    running_.pop_back();
    const Lane &lane = lanes_[cells_[records_[number].cell].lane];
    --hosts_[lane.host].running;
    unpark(hosts_[lane.host].parked);
    if (lane.session != none) {
        --sessions_[lane.session].running;
        unpark(sessions_[lane.session].parked);
    }
    App &app = apps_[lane.app];
    --app.running;
    while (!app.parked.empty()) {
        const int32_t queue = app.parked.back();
        app.parked.pop_back();
        queues_[queue].place = AppQueue::idle;
        queueChanged(queue);
    }
}

}  // namespace cxq
