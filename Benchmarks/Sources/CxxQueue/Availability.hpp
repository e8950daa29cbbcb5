// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "IndexTable.hpp"
#include "Scheduler.hpp"
#include "Shelves.hpp"

namespace cxq {

/// Which classes may run, remembered for every state of the machine that was seen: one bit a class.
class Availability {
public:
    /// Words of a set of classes.
    size_t words() const { return available_.size(); }
    /// Classes whose transfers may start now.
    const std::vector<uint64_t> &available() const { return available_; }
    static bool contains(const std::vector<uint64_t> &set, int32_t cls) {
        return set[static_cast<size_t>(cls) >> 6] >> (cls & 63) & 1;
    }
    bool isAnyAvailable() const { return isAny_; }

    /// Takes in a class that is new; `number` is one more than that of the last.
    void add(Requirements needs, int stage, int32_t number) {
        classes_.push_back({needs, stage});
        if (static_cast<size_t>(number) >= 64 * available_.size()) {
            // Rows have another width now; they are made anew as they are asked for.
            available_.resize(std::max<size_t>(1, 2 * available_.size()));
            gained_.resize(available_.size());
            table_ = {};
            rows_.clear();
        } else {
            for (Row &known : rows_) mark(known, number);
        }
    }

    /// The machine is like this now, with `unsettled` facts.
    void update(Signature machine, bool isPatienceGone, unsigned unsettled) {
        const bool isPatient = !isPatienceGone && !machine.isOnMains();
        if (isPatient) {
            const Row &later = row(rowOf(machine, true));
            for (size_t word = 0; word < words(); ++word) gained_[word] = settled(later, word, unsettled);
        }
        current_ = rowOf(machine, isPatienceGone);
        uint64_t any = 0, gain = 0;
        for (size_t word = 0; word < words(); ++word) {
            available_[word] = settled(row(current_), word, unsettled);
            any |= available_[word];
            gained_[word] = isPatient ? gained_[word] & ~available_[word] : 0;
            gain |= gained_[word];
        }
        isAny_ = any != 0;
        isAnyGained_ = gain != 0;
    }

    /// Classes whose transfers may start once mains are not waited for any longer, if facts stay; nullptr for none.
    const std::vector<uint64_t> *gained() const { return isAnyGained_ ? &gained_ : nullptr; }

    /// Calls `body` with each set of facts of which some are `unsettled`, and with words of what waits for just those.
    template <class Body> void forEachUnsettled(unsigned unsettled, Body &&body) const {
        for (unsigned facts = 1; facts < 8; ++facts) {
            if ((facts & unsettled) == 0) continue;
            for (size_t word = 0; word < words(); ++word) {
                const uint64_t set = row(current_).sets[facts * words() + word];
                if (set != 0) body(facts, word, set);
            }
        }
    }

private:
    struct Row {
        Signature machine;
        bool isPatienceGone;
        /// For each set of facts relied on the classes that may run on just those, then those that need not settle.
        std::vector<uint64_t> sets;
    };
    struct ClassNeeds {
        Requirements needs;
        int stage;
    };

    const Row &row(int32_t number) const { return rows_[static_cast<size_t>(number)]; }

    /// A word of the classes that may run on facts none of which is `unsettled`.
    uint64_t settled(const Row &from, size_t word, unsigned unsettled) const {
        uint64_t set = from.sets[8 * words() + word];
        for (unsigned facts = 0; facts < 8; ++facts) {
            if ((facts & unsettled) == 0) set |= from.sets[facts * words() + word];
        }
        return set;
    }

    static uint64_t hash(Signature machine, bool isPatienceGone) {
        return machine.packed ^ uint64_t{isPatienceGone} << 63;
    }

    int32_t rowOf(Signature machine, bool isPatienceGone) {
        const int32_t known = table_.find(hash(machine, isPatienceGone), [&](int32_t item) {
            return row(item).machine.packed == machine.packed && row(item).isPatienceGone == isPatienceGone;
        });
        if (known != none) return known;
        if (rows_.size() >= 1024) {
            table_ = {};
            rows_.clear();
        }
        Row made{machine, isPatienceGone, std::vector<uint64_t>(9 * words())};
        for (size_t cls = 0; cls < classes_.size(); ++cls) mark(made, static_cast<int32_t>(cls));
        rows_.push_back(std::move(made));
        const int32_t number = static_cast<int32_t>(rows_.size() - 1);
        table_.insert(number, [&](int32_t item) {
            return hash(row(item).machine, row(item).isPatienceGone);
        });
        return number;
    }

    void mark(Row &into, int32_t cls) {
        const ClassNeeds &which = classes_[static_cast<size_t>(cls)];
        const Verdict answer = verdict(which.needs, which.stage, into.machine, into.isPatienceGone);
        if (!answer.mayRun) return;
        const size_t set = which.needs.isDiscretionary() ? answer.relyingOn : 8;
        into.sets[set * words() + (static_cast<size_t>(cls) >> 6)] |= uint64_t{1} << (cls & 63);
    }

    std::vector<ClassNeeds> classes_;
    std::vector<Row> rows_;
    IndexTable table_;
    std::vector<uint64_t> available_, gained_;
    int32_t current_ = none;
    bool isAny_ = false, isAnyGained_ = false;
};

}  // namespace cxq
