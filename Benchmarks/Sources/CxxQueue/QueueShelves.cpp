// SPDX-License-Identifier: Apache-2.0
#include "Queue.hpp"

#include <bit>

namespace cxq {

auto Queue::recordHeap(std::vector<int32_t> &heap) {
    return QuadHeap(
        heap, [this](int32_t left, int32_t right) { return keyOf(records_[left]) < keyOf(records_[right]); },
        [this](int32_t record, int32_t position) { records_[record].previous = position; });
}

auto Queue::bucketHeap(std::vector<AppQueue::Entry> &heap) {
    return QuadHeap(
        heap, [](const AppQueue::Entry &left, const AppQueue::Entry &right) { return left.key < right.key; },
        [this](const AppQueue::Entry &entry, int32_t position) { buckets_[entry.bucket].position = position; });
}

// MARK: Records

/// Puts a transfer that waits where it belongs at this date.
void Queue::place(int32_t number) {
    Record &record = records_[number];
    const int32_t family = cells_[record.cell].family;
    const bool isStaged = families_[static_cast<size_t>(family)].needs.isDiscretionary();
    const int64_t from = std::max(now_.wall, record.notBefore);
    const Stage stage =
        isStaged ? stageOf(record.submitted, record.notBefore, record.deadline, from) : Stage{0, never};
    record.stage = stage.number;
    if (record.notBefore > now_.wall) {
        record.place = Record::dated;
        // Its bit tells whether the date is worth a wake.
        classOf(family, stage.number);
        setTimer(number, family, record.notBefore);
        return;
    }
    if (stage.until != never) setTimer(number, family, stage.until);
    record.bucket = bucketOf(record.cell, stage.number);
    Bucket &bucket = buckets_[record.bucket];
    if (record.deadline == never && (bucket.last == none || records_[bucket.last].id < record.id)) {
        record.place = Record::listed;
        record.previous = bucket.last;
        record.next = none;
        (bucket.last == none ? bucket.first : records_[bucket.last].next) = number;
        bucket.last = number;
    } else {
        record.place = Record::heaped;
        recordHeap(bucket.heap).push(number);
    }
    if (bucket.first == number || (!bucket.heap.empty() && bucket.heap.front() == number)) bucketChanged(record.bucket);
}

/// Takes a transfer that waits out of where it is.
void Queue::withdraw(int32_t number) {
    dropTimer(number);
    Record &record = records_[number];
    if (record.place == Record::dated) return;
    const int32_t owner = std::exchange(record.bucket, none);
    Bucket &bucket = buckets_[owner];
    bool wasFirst;
    if (record.place == Record::listed) {
        wasFirst = bucket.first == number;
        (record.previous == none ? bucket.first : records_[record.previous].next) = record.next;
        (record.next == none ? bucket.last : records_[record.next].previous) = record.previous;
    } else {
        wasFirst = record.previous == 0;
        recordHeap(bucket.heap).remove(static_cast<size_t>(record.previous));
    }
    if (wasFirst) bucketChanged(owner);
}

void Queue::erase(int32_t record) {
    index_.erase(record, [this](int32_t item) { return static_cast<uint64_t>(records_[item].id); });
    releaseCell(records_[record].cell);
    records_.release(record);
}

void Queue::setTimer(int32_t record, int32_t family, int64_t due) {
    const int32_t timer = timers_.take();
    timers_[timer].due = due;
    timers_[timer].record = record;
    records_[record].timer = timer;
    families_[static_cast<size_t>(family)].wheel.insert(timers_, timer);
    firstDue_ = std::min(firstDue_, due);
}

void Queue::dropTimer(int32_t record) {
    const int32_t timer = std::exchange(records_[record].timer, none);
    if (timer == none) return;
    families_[static_cast<size_t>(cells_[records_[record].cell].family)].wheel.remove(timers_, timer);
    timers_.release(timer);
}

// MARK: Buckets, app queues, shelves

int32_t Queue::headOf(const Bucket &bucket) const {
    if (bucket.heap.empty()) return bucket.first;
    const int32_t top = bucket.heap.front();
    if (bucket.first == none || keyOf(records_[top]) < keyOf(records_[bucket.first])) return top;
    return bucket.first;
}

/// Brings everything above a bucket in line with its first transfer.
void Queue::bucketChanged(int32_t number) {
    Bucket &bucket = buckets_[number];
    const int32_t queueNumber = bucket.queue;
    AppQueue &queue = queues_[queueNumber];
    const int32_t head = headOf(bucket);
    if (head == none) {
        leaveQueue(number);
        for (int32_t &slot : cells_[bucket.cell].buckets) {
            if (slot == number) slot = none;
        }
        buckets_.release(number);
        --queue.buckets;
    } else if (bucket.place == Bucket::idle) {
        bucket.place = Bucket::queued;
        bucketHeap(queue.heap).push({keyOf(records_[head]), number});
    } else if (bucket.place == Bucket::queued) {
        queue.heap[static_cast<size_t>(bucket.position)].key = keyOf(records_[head]);
        bucketHeap(queue.heap).update(static_cast<size_t>(bucket.position));
    } else {
        return;
    }
    queueChanged(queueNumber);
}

void Queue::leaveQueue(int32_t number) {
    Bucket &bucket = buckets_[number];
    const Lane &lane = lanes_[bucket.lane];
    const Bucket::Place place = std::exchange(bucket.place, Bucket::idle);
    switch (place) {
    case Bucket::idle:
        break;
    case Bucket::queued:
        bucketHeap(queues_[bucket.queue].heap).remove(static_cast<size_t>(bucket.position));
        break;
    case Bucket::onHost:
    case Bucket::onSession: {
        std::vector<int32_t> &parked =
            place == Bucket::onHost ? hosts_[lane.host].parked : sessions_[lane.session].parked;
        const int32_t last = parked.back();
        parked[static_cast<size_t>(bucket.position)] = last;
        buckets_[last].position = bucket.position;
        parked.pop_back();
        break;
    }
    }
}

/// Brings the shelf in line with an app queue's first bucket.
void Queue::queueChanged(int32_t number) {
    AppQueue &queue = queues_[number];
    if (queue.heap.empty()) {
        leaveShelf(number);
        if (queue.buckets > 0) return;
        queueTable_.erase(number, [this](int32_t item) {
            return static_cast<uint64_t>(queues_[item].shelf) << 40 ^ static_cast<uint64_t>(queues_[item].app) << 20;
        });
        queues_.release(number);
        return;
    }
    if (queue.place == AppQueue::parked) return;
    Shelf &shelf = shelves_[queue.shelf];
    const Key key = queue.heap.front().key;
    bool isLater = false;
    if (queue.place == AppQueue::idle) {
        queue.place = AppQueue::shelved;
        queue.position = static_cast<int32_t>(shelf.entries.size());
        shelf.entries.push_back({key, number, queue.app});
        std::vector<uint64_t> &occupied = levels_[static_cast<size_t>(shelf.level)].occupied;
        if (occupied.size() < availability_.words()) occupied.resize(availability_.words());
        occupied[static_cast<size_t>(shelf.cls) >> 6] |= uint64_t{1} << (shelf.cls & 63);
    } else {
        Shelf::Entry &entry = shelf.entries[static_cast<size_t>(queue.position)];
        isLater = entry.key < key;
        entry.key = key;
    }
    if (shelf.best == none) return;
    const Shelf::Entry &best = shelf.entries[static_cast<size_t>(shelf.best)];
    if (apps_[best.app].lastTurn != shelf.bestTurn || (shelf.best == queue.position && isLater)) {
        shelf.best = none;
    } else if (shelf.best != queue.position && precedes(shelf.entries[static_cast<size_t>(queue.position)], best)) {
        shelf.best = queue.position;
        shelf.bestTurn = apps_[queue.app].lastTurn;
    }
}

void Queue::leaveShelf(int32_t number) {
    AppQueue &queue = queues_[number];
    switch (std::exchange(queue.place, AppQueue::idle)) {
    case AppQueue::idle:
        break;
    case AppQueue::parked: {
        std::vector<int32_t> &parked = apps_[queue.app].parked;
        const int32_t last = parked.back();
        parked[static_cast<size_t>(queue.position)] = last;
        queues_[last].position = queue.position;
        parked.pop_back();
        break;
    }
    case AppQueue::shelved: {
        Shelf &shelf = shelves_[queue.shelf];
        const Shelf::Entry last = shelf.entries.back();
        shelf.entries[static_cast<size_t>(queue.position)] = last;
        queues_[last.queue].position = queue.position;
        shelf.entries.pop_back();
        if (shelf.best == queue.position) {
            shelf.best = none;
        } else if (shelf.best == static_cast<int32_t>(shelf.entries.size())) {
            shelf.best = queue.position;
        }
        if (shelf.entries.empty()) {
            levels_[static_cast<size_t>(shelf.level)].occupied[static_cast<size_t>(shelf.cls) >> 6] &=
                ~(uint64_t{1} << (shelf.cls & 63));
        }
        break;
    }
    }
}

bool Queue::precedes(const Shelf::Entry &left, const Shelf::Entry &right) const {
    if (left.key.deadline != right.key.deadline) return left.key.deadline < right.key.deadline;
    const int64_t leftTurn = apps_[left.app].lastTurn, rightTurn = apps_[right.app].lastTurn;
    return leftTurn != rightTurn ? leftTurn < rightTurn : left.key.id < right.key.id;
}

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
        const int32_t bucket = queues_[entry.queue].heap.front().bucket;
        const Lane &lane = lanes_[buckets_[bucket].lane];
        if (hosts_[lane.host].running >= lane.hostLimit) {
            park(bucket, Bucket::onHost);
        } else if (lane.session != none && sessions_[lane.session].running >= settings_.slots_per_session) {
            park(bucket, Bucket::onSession);
        } else {
            return shelf.best;
        }
    }
    return none;
}

/// Takes a bucket out of its app queue until a slot of its host or session is free.
void Queue::park(int32_t number, Bucket::Place place) {
    leaveQueue(number);
    Bucket &bucket = buckets_[number];
    const Lane &lane = lanes_[bucket.lane];
    std::vector<int32_t> &parked = place == Bucket::onHost ? hosts_[lane.host].parked : sessions_[lane.session].parked;
    bucket.place = place;
    bucket.position = static_cast<int32_t>(parked.size());
    parked.push_back(number);
    queueChanged(bucket.queue);
}

void Queue::unpark(std::vector<int32_t> &parked) {
    while (!parked.empty()) {
        const int32_t number = parked.back();
        parked.pop_back();
        buckets_[number].place = Bucket::idle;
        bucketChanged(number);
    }
}

// MARK: Starts

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
