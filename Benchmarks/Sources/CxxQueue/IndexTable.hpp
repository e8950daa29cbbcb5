// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cxq {

using std::size_t;

/// The number that stands for "no item".
inline constexpr int32_t none = -1;

/// A hash of numbers, as items with several of them for a key have.
inline uint64_t hashOf(int32_t first, int32_t second, int32_t third = 0) {
    const auto word = [](int32_t number) { return static_cast<uint64_t>(static_cast<uint32_t>(number)); };
    const uint64_t mixed = (word(first) << 40 ^ word(second) << 20 ^ word(third)) * 0xD6E8FEB86659FD93u;
    return mixed ^ mixed >> 32;
}

/// Finds items by a hash of what is kept in them: open addressing, 4 bytes a slot, at most 4 of 5 slots taken.
///
/// Linear probing, and deletion that shifts back what follows, so that no marker of something deleted is left.
class IndexTable {
public:
    /// The item with that hash for which `isEqual` holds, or `none`.
    template <class IsEqual> int32_t find(uint64_t hash, IsEqual &&isEqual) const {
        if (slots_.empty()) return none;
        for (size_t slot = home(hash); slots_[slot] != none; slot = (slot + 1) & mask()) {
            if (isEqual(slots_[slot])) return slots_[slot];
        }
        return none;
    }

    /// Adds an item that is not in it. `hashOf` gives the hash of any item, to move them to a larger table.
    template <class HashOf> void insert(int32_t item, HashOf &&hashOf) {
        if (5 * (count_ + 1) > 4 * slots_.size()) grow(hashOf);
        put(item, hashOf(item));
        ++count_;
    }

    /// Takes an item out that is in it.
    template <class HashOf> void erase(int32_t item, HashOf &&hashOf) {
        size_t hole = home(hashOf(item));
        while (slots_[hole] != item) hole = (hole + 1) & mask();
        for (size_t slot = (hole + 1) & mask(); slots_[slot] != none; slot = (slot + 1) & mask()) {
            // It may move to the hole unless its home lies between the two.
            const size_t distance = (slot - home(hashOf(slots_[slot]))) & mask();
            if (distance < ((slot - hole) & mask())) continue;
            slots_[hole] = slots_[slot];
            hole = slot;
        }
        slots_[hole] = none;
        --count_;
    }

    size_t count() const { return count_; }

private:
    size_t mask() const { return slots_.size() - 1; }
    size_t home(uint64_t hash) const { return static_cast<size_t>((hash * 0x9E3779B97F4A7C15u) >> shift_); }

    void put(int32_t item, uint64_t hash) {
        size_t slot = home(hash);
        while (slots_[slot] != none) slot = (slot + 1) & mask();
        slots_[slot] = item;
    }

    template <class HashOf> void grow(HashOf &&hashOf) {
        std::vector<int32_t> old = std::exchange(slots_, {});
        slots_.assign(old.empty() ? 16 : 2 * old.size(), none);
        shift_ = old.empty() ? 60 : shift_ - 1;
        for (int32_t item : old) {
            if (item != none) put(item, hashOf(item));
        }
    }

    std::vector<int32_t> slots_;
    size_t count_ = 0;
    int shift_ = 60;
};

}  // namespace cxq
