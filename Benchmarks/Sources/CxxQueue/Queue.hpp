// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Availability.hpp"

namespace cxq {

/// The waiting queue for a million transfers: what an event costs does not follow from how many wait.
///
/// Transfers with the same requirements are a family; a family at one stage of the policy is a class, the classes that
/// may run are bits. At each level (urgency, priority, deadline) every class has a shelf of app queues, an app queue
/// has a bucket for each lane (session and host), a bucket holds transfers in order.
class Queue final : public Scheduler {
public:
    Queue(const cxq_settings &settings, cxq_moment now);

    void submitted(int64_t id, const cxq_traits &traits, cxq_moment now) override;
    void conditionsChanged(const cxq_facts &facts, cxq_moment now) override;
    void finished(int64_t id, cxq_moment now) override;
    void stopped(int64_t id, cxq_moment now) override;
    void cancelled(int64_t id, cxq_moment now) override;
    void woken(cxq_moment now) override;
    size_t openCount() const override { return index_.count(); }

private:
    // Events.
    void begin(cxq_moment now);
    void lapse();
    void updateAvailability();
    void stopWhatMayNotRun();
    void end();
    int64_t nextWake();
    bool isOccupied(size_t word, uint64_t classes) const;

    // Names and numbers.
    int32_t siteOf(Pool<Site> &sites, IndexTable &table, std::string_view name, int32_t app);
    void release(Pool<Site> &sites, IndexTable &table, int32_t site);
    int32_t appOf(std::string_view name);
    int32_t laneOf(const cxq_traits &traits);
    int32_t familyOf(Requirements needs);
    int32_t classOf(int32_t family, int stage);
    int32_t levelOf(const cxq_traits &traits);
    int32_t cellOf(int32_t family, int32_t level, int32_t lane);
    void releaseCell(int32_t cell);
    int32_t shelfOf(int32_t level, int32_t cls);
    int32_t queueOf(int32_t shelf, int32_t app);
    int32_t bucketOf(int32_t cell, int stage);
    int32_t recordOf(int64_t id) const;
    uint64_t hashOfCell(int32_t cell) const {
        return hashOf(cells_[cell].family, cells_[cell].level, cells_[cell].lane);
    }
    uint64_t hashOfQueue(int32_t queue) const { return hashOf(queues_[queue].shelf, queues_[queue].app); }

    // Records.
    void place(int32_t record);
    void withdraw(int32_t record);
    void erase(int32_t record);
    void setTimer(int32_t record, int32_t family, int64_t due);
    void dropTimer(int32_t record);
    Key keyOf(const Record &record) const { return {record.deadline, record.id}; }

    // Buckets, app queues, shelves.
    int32_t headOf(const Bucket &bucket) const {
        if (bucket.heap.empty()) return bucket.first;
        const int32_t top = bucket.heap.front();
        if (bucket.first == none || keyOf(records_[top]) < keyOf(records_[bucket.first])) return top;
        return bucket.first;
    }
    void bucketChanged(int32_t bucket);
    void leaveQueue(int32_t bucket);
    void queueChanged(int32_t queue);
    void leaveShelf(int32_t queue);
    void park(int32_t bucket, Bucket::Place place);
    void unpark(std::vector<int32_t> &parked);
    bool precedes(const Shelf::Entry &left, const Shelf::Entry &right) const {
        if (left.key.deadline != right.key.deadline) return left.key.deadline < right.key.deadline;
        const int64_t leftTurn = apps_[left.app].lastTurn, rightTurn = apps_[right.app].lastTurn;
        return leftTurn != rightTurn ? leftTurn < rightTurn : left.key.id < right.key.id;
    }
    int32_t firstOf(Shelf &shelf, bool mustBeBest);
    auto recordHeap(std::vector<int32_t> &heap);
    auto bucketHeap(std::vector<AppQueue::Entry> &heap);

    // Starts.
    void dispatch();
    bool hasStartable(const Level &level);
    int32_t bestBucket(const Level &level);
    void start(int32_t record);
    void freeSlots(int32_t record);

    const cxq_settings settings_;
    cxq_moment now_;
    Signature machine_;
    Settling settling_;
    Patience patience_;
    Availability availability_;
    /// What `availability_` was last updated for.
    unsigned unsettled_ = 0;
    bool isPatienceGone_ = false;
    int64_t plannedWake_ = never;

    Pages<Record> records_;
    IndexTable index_;
    /// The largest number that was ever handed over.
    int64_t lastID_ = always;
    Pages<Timer> timers_;
    /// No timer is due before.
    int64_t firstDue_ = never;

    Pool<Site> hosts_, sessions_;
    Pool<App> apps_;
    Pool<Lane> lanes_;
    Pool<Cell> cells_;
    Pool<Bucket> buckets_;
    Pool<AppQueue> queues_;
    Pool<Shelf> shelves_;
    IndexTable hostTable_, sessionTable_, appTable_, laneTable_;
    IndexTable cellTable_, queueTable_, familyTable_, connectionTable_;
    std::vector<Family> families_;
    std::vector<Class> classes_;
    std::vector<Level> levels_;
    std::vector<std::string> connections_;
    /// Levels by rank, the highest first.
    std::vector<int32_t> ranked_;

    std::vector<int32_t> running_;
    int64_t turns_ = 0;
    std::vector<int32_t> startable_;
};

}  // namespace cxq
