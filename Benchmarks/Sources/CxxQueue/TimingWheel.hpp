// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Pages.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace cxq {

/// A date that something waits for.
struct Timer {
    int64_t due;
    int32_t next;
    int32_t previous;
    int32_t record;
    uint16_t slot;
};

/// A hierarchical timing wheel (Varghese and Lauck, SOSP 1987): eight levels of 64 slots, a slot of the lowest 2^20 ns.
///
/// A timer lies on the level of the highest digit in which it differs from the cursor. Its storage is shared by all
/// wheels.
class TimingWheel {
public:
    explicit TimingWheel(int64_t now) : cursor_(tick(now)) { first_.fill(none); }

    bool isEmpty() const { return levels_ == 0; }

    void insert(Pages<Timer> &timers, int32_t timer) {
        if (isKnown_) earliest_ = std::min(earliest_, timers[timer].due);
        place(timers, timer);
    }

    void remove(Pages<Timer> &timers, int32_t timer) {
        if (timers[timer].due == earliest_) isKnown_ = false;
        unlink(timers, timer);
    }

    /// When the earliest timer is due; the largest number where there is none.
    int64_t earliest(const Pages<Timer> &timers) {
        if (isKnown_) return earliest_;
        earliest_ = std::numeric_limits<int64_t>::max();
        if (!isEmpty()) {
            for (int32_t timer = first_[firstSlot()]; timer != none; timer = timers[timer].next) {
                earliest_ = std::min(earliest_, timers[timer].due);
            }
        }
        isKnown_ = true;
        return earliest_;
    }

    /// Takes out what is due at `now` and hands it to `fire`.
    template <class Fire> void advance(Pages<Timer> &timers, int64_t now, Fire &&fire) {
        const uint64_t last = tick(now);
        while (!isEmpty()) {
            const size_t slot = firstSlot();
            const uint64_t begin = beginning(slot);
            if (begin > last) break;
            if (slot >= 64) {
                cursor_ = begin;
                spread(timers, slot);
                continue;
            }
            bool isLeft = false;
            for (int32_t timer = first_[slot]; timer != none;) {
                const int32_t next = timers[timer].next;
                if (timers[timer].due <= now) {
                    unlink(timers, timer);
                    fire(timer);
                } else {
                    isLeft = true;
                }
                timer = next;
            }
            if (isLeft) break;
        }
        if (last > cursor_) cursor_ = last;
        isKnown_ = false;
    }

private:
    static uint64_t tick(int64_t due) { return due < 0 ? 0 : static_cast<uint64_t>(due) >> 20; }
    size_t firstSlot() const {
        const size_t level = static_cast<size_t>(std::countr_zero(levels_));
        return level << 6 | static_cast<size_t>(std::countr_zero(occupied_[level]));
    }

    /// The first tick of a slot, seen from the cursor.
    uint64_t beginning(size_t slot) const {
        const size_t shift = 6 * (slot >> 6);
        const uint64_t above = shift + 6 >= 64 ? 0 : cursor_ >> (shift + 6) << (shift + 6);
        return above | static_cast<uint64_t>(slot & 63) << shift;
    }

    void place(Pages<Timer> &timers, int32_t timer) {
        // What lies before the cursor comes with the cursor's own slot.
        const uint64_t at = std::max(tick(timers[timer].due), cursor_);
        const size_t level = static_cast<size_t>(63 - std::countl_zero((at ^ cursor_) | 1)) / 6;
        const size_t slot = level << 6 | (at >> (6 * level) & 63);
        const int32_t next = first_[slot];
        timers[timer].slot = static_cast<uint16_t>(slot);
        timers[timer].next = next;
        timers[timer].previous = none;
        if (next != none) timers[next].previous = timer;
        first_[slot] = timer;
        occupied_[level] |= uint64_t{1} << (slot & 63);
        levels_ |= 1u << level;
    }

    void unlink(Pages<Timer> &timers, int32_t timer) {
        const Timer &gone = timers[timer];
        if (gone.next != none) timers[gone.next].previous = gone.previous;
        if (gone.previous != none) {
            timers[gone.previous].next = gone.next;
            return;
        }
        first_[gone.slot] = gone.next;
        if (gone.next == none) markEmpty(gone.slot);
    }

    void markEmpty(size_t slot) {
        occupied_[slot >> 6] &= ~(uint64_t{1} << (slot & 63));
        if (occupied_[slot >> 6] == 0) levels_ &= ~(1u << (slot >> 6));
    }

    void spread(Pages<Timer> &timers, size_t slot) {
        int32_t timer = std::exchange(first_[slot], none);
        markEmpty(slot);
        while (timer != none) {
            const int32_t next = timers[timer].next;
            place(timers, timer);
            timer = next;
        }
    }

    std::array<int32_t, 512> first_;
    std::array<uint64_t, 8> occupied_{};
    uint32_t levels_ = 0;
    uint64_t cursor_;
    int64_t earliest_ = std::numeric_limits<int64_t>::max();
    bool isKnown_ = true;
};

}  // namespace cxq
