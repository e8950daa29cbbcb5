// SPDX-License-Identifier: Apache-2.0
#include "Queue.hpp"

// Where a transfer that waits lies, and when it moves.

namespace cxq {

auto Queue::recordHeap(std::vector<int32_t> &heap) {
    return QuadHeap(
        heap, [this](int32_t left, int32_t right) { return keyOf(records_[left]) < keyOf(records_[right]); },
        [this](int32_t record, int32_t position) { records_[record].previous = position; });
}

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
    if (record.deadline == never && bucket.lastID < record.id) {
        record.place = Record::listed;
        record.previous = bucket.last;
        record.next = none;
        (bucket.last == none ? bucket.first : records_[bucket.last].next) = number;
        bucket.last = number;
        bucket.lastID = record.id;
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
        if (record.next == none) {
            bucket.last = record.previous;
            bucket.lastID = record.previous == none ? always : records_[record.previous].id;
        } else {
            records_[record.next].previous = record.previous;
        }
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

}  // namespace cxq
