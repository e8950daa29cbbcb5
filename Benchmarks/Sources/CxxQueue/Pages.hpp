// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "IndexTable.hpp"

#include <memory>

namespace cxq {

/// Numbered items in pages of 1024: growing moves nothing, and no more than a page is taken in advance.
///
/// A free item's `next` links it to the one freed before it.
template <class Item> class Pages {
public:
    Item &operator[](int32_t number) { return pages_[page(number)][place(number)]; }
    const Item &operator[](int32_t number) const { return pages_[page(number)][place(number)]; }

    int32_t take() {
        if (free_ != none) return std::exchange(free_, (*this)[free_].next);
        if (static_cast<size_t>(used_) == pages_.size() << 10) pages_.emplace_back(new Item[1024]);
        return used_++;
    }

    void release(int32_t number) { (*this)[number].next = std::exchange(free_, number); }

private:
    static size_t page(int32_t number) { return static_cast<size_t>(number) >> 10; }
    static size_t place(int32_t number) { return static_cast<size_t>(number) & 1023; }

    std::vector<std::unique_ptr<Item[]>> pages_;
    int32_t free_ = none;
    int32_t used_ = 0;
};

/// Numbered items whose places are used again; an item keeps its storage (vectors, strings) for the next owner.
template <class Item> class Pool {
public:
    Item &operator[](int32_t number) { return items_[static_cast<size_t>(number)]; }
    const Item &operator[](int32_t number) const { return items_[static_cast<size_t>(number)]; }
    int32_t count() const { return static_cast<int32_t>(items_.size()); }

    int32_t take() {
        if (!free_.empty()) {
            const int32_t number = free_.back();
            free_.pop_back();
            return number;
        }
        items_.emplace_back();
        return count() - 1;
    }

    void release(int32_t number) { free_.push_back(number); }

private:
    std::vector<Item> items_;
    std::vector<int32_t> free_;
};

}  // namespace cxq
