// SPDX-License-Identifier: Apache-2.0
#include "Queue.hpp"

// Buckets, app queues and shelves: each is brought in line with the first of what it holds.

namespace cxq {

auto Queue::bucketHeap(std::vector<AppQueue::Entry> &heap) {
    return QuadHeap(
        heap, [](const AppQueue::Entry &left, const AppQueue::Entry &right) { return left.key < right.key; },
        [this](const AppQueue::Entry &entry, int32_t position) { buckets_[entry.bucket].position = position; });
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
        queueTable_.erase(number, [this](int32_t item) { return hashOfQueue(item); });
        queues_.release(number);
        return;
    }
    if (queue.place == AppQueue::parked) return;
    Shelf &shelf = shelves_[queue.shelf];
    const Key key = queue.heap.front().key;
    const int32_t lane = buckets_[queue.heap.front().bucket].lane;
    bool isLater = false;
    if (queue.place == AppQueue::idle) {
        queue.place = AppQueue::shelved;
        queue.position = static_cast<int32_t>(shelf.entries.size());
        shelf.entries.push_back({key, number, queue.app, lane});
        std::vector<uint64_t> &occupied = levels_[static_cast<size_t>(shelf.level)].occupied;
        if (occupied.size() < availability_.words()) occupied.resize(availability_.words());
        occupied[static_cast<size_t>(shelf.cls) >> 6] |= uint64_t{1} << (shelf.cls & 63);
    } else {
        Shelf::Entry &entry = shelf.entries[static_cast<size_t>(queue.position)];
        isLater = entry.key < key;
        entry.key = key;
        entry.lane = lane;
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

}  // namespace cxq
