// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "TimingWheel.hpp"
#include "Requirements.hpp"

#include <string>
#include <tuple>

namespace cxq {

/// One transfer that is not over; 72 bytes.
struct Record {
    int64_t id;
    int64_t submitted;
    int64_t deadline;
    int64_t notBefore;
    int64_t expected;
    /// Links of the bucket's list. In its heap, and while it runs, `previous` is the position there.
    int32_t next;
    int32_t previous;
    int32_t bucket;
    int32_t cell;
    int32_t timer;
    /// What few transfers have lies elsewhere; nothing of it is in this port.
    int32_t extra;
    uint8_t stage;
    enum Place : uint8_t { dated, listed, heaped, running, stopping, cancelling } place;
};
static_assert(sizeof(Record) == 72);

/// What buckets are ordered by.
struct Key {
    int64_t deadline = never;
    int64_t id = never;
    friend auto operator<=>(const Key &, const Key &) = default;
};

/// A host, or a session of an app: who runs there, and which buckets wait for a slot of it.
struct Site {
    std::string name;
    int32_t app = none;
    int32_t running = 0;
    int32_t references = 0;
    std::vector<int32_t> parked;
};

struct App {
    std::string name;
    int32_t running = 0;
    /// The number of its latest start.
    int64_t lastTurn = 0;
    /// App queues that wait for a slot of it.
    std::vector<int32_t> parked;
};

/// Transfers of one session of one app to one host.
struct Lane {
    int32_t app, host, session, hostLimit;
    int32_t references;
};

/// Transfers with the same requirements, level and lane; their buckets by stage.
struct Cell {
    int32_t family, level, lane;
    int32_t references;
    int32_t buckets[4];
};

/// Transfers of a cell at one stage: a list in the order of ids, and a heap of what has a deadline or came back.
struct Bucket {
    enum Place : uint8_t { idle, queued, onHost, onSession } place;
    int32_t cell, lane, queue;
    int32_t first, last;
    /// The number of the last on the list; `always` where it is empty.
    int64_t lastID;
    /// In the app queue's heap or on the list of the parked.
    int32_t position;
    std::vector<int32_t> heap;
};

/// An app's buckets in a shelf: an indexed heap by their first transfer.
struct AppQueue {
    struct Entry {
        Key key;
        int32_t bucket;
    };
    enum Place : uint8_t { idle, shelved, parked } place;
    int32_t shelf, app;
    int32_t position;
    int32_t buckets;
    std::vector<Entry> heap;
};

/// The app queues of one class at one level that are neither empty nor parked.
struct Shelf {
    struct Entry {
        Key key;
        /// Of the transfer to start next from that queue.
        int32_t queue, app, lane;
    };
    int32_t level, cls;
    std::vector<Entry> entries;
    /// The entry to start next, as long as its app's last turn is still `bestTurn`; `none` where nobody has looked.
    int32_t best = none;
    int64_t bestTurn = 0;
};

struct Level {
    bool isUrgent, hasDeadline;
    int32_t priority;
    int64_t passedOver = 0;
    /// By class; `none` where there is none.
    std::vector<int32_t> shelves;
    /// One bit per class whose shelf is not empty.
    std::vector<uint64_t> occupied;

    auto rank() const { return std::tuple(!isUrgent, -priority, !hasDeadline); }
};

struct Family {
    Requirements needs;
    int32_t classes[4] = {none, none, none, none};
    TimingWheel wheel;
};

/// Transfers of a family at one stage are alike to all conditions.
struct Class {
    int32_t family;
    int stage;
};

/// An indexed heap with four children a node: `less` orders, `moved` is told every new position.
template <class Entry, class Less, class Moved> class QuadHeap {
public:
    QuadHeap(std::vector<Entry> &entries, Less less, Moved moved) : entries_(entries), less_(less), moved_(moved) {}

    void push(Entry entry) {
        entries_.push_back(entry);
        up(entries_.size() - 1);
    }
    void remove(size_t position) {
        const Entry last = entries_.back();
        entries_.pop_back();
        if (position == entries_.size()) return;
        entries_[position] = last;
        update(position);
    }
    /// Puts an entry right whose key has changed.
    void update(size_t position) {
        if (up(position) == position) down(position);
    }

private:
    size_t up(size_t position) {
        const Entry entry = entries_[position];
        while (position > 0) {
            const size_t parent = (position - 1) / 4;
            if (!less_(entry, entries_[parent])) break;
            set(position, entries_[parent]);
            position = parent;
        }
        set(position, entry);
        return position;
    }
    void down(size_t position) {
        const Entry entry = entries_[position];
        while (true) {
            const size_t begin = 4 * position + 1, end = std::min(begin + 4, entries_.size());
            if (begin >= end) break;
            size_t child = begin;
            for (size_t other = begin + 1; other < end; ++other) {
                if (less_(entries_[other], entries_[child])) child = other;
            }
            if (!less_(entries_[child], entry)) break;
            set(position, entries_[child]);
            position = child;
        }
        set(position, entry);
    }
    void set(size_t position, const Entry &entry) {
        entries_[position] = entry;
        moved_(entry, static_cast<int32_t>(position));
    }

    std::vector<Entry> &entries_;
    Less less_;
    Moved moved_;
};

}  // namespace cxq
