// SPDX-License-Identifier: Apache-2.0
#include "include/CxxQueue.h"

#include "Queue.hpp"
#include "Scan.hpp"

#include <memory>

struct cxq_scheduler {
    std::unique_ptr<cxq::Scheduler> is;

    cxq_effects effects() const { return {is->effects().data(), is->effects().size()}; }
};

extern "C" {

cxq_settings cxq_default_settings(void) {
    constexpr int64_t second = 1'000'000'000;
    return {4, 2, 4, 4, 16, 10 * second, 5 * second, 5 * second, 3 * 86'400 * second};
}

cxq_scheduler *cxq_create_queue(cxq_settings settings, cxq_moment now) {
    return new cxq_scheduler{std::make_unique<cxq::Queue>(settings, now)};
}

cxq_scheduler *cxq_create_scan(cxq_settings settings, cxq_moment now) {
    return new cxq_scheduler{std::make_unique<cxq::Scan>(settings, now)};
}

void cxq_destroy(cxq_scheduler *scheduler) { delete scheduler; }

cxq_effects cxq_submitted(cxq_scheduler *scheduler, int64_t id, const cxq_traits *traits, cxq_moment now) {
    scheduler->is->submitted(id, *traits, now);
    return scheduler->effects();
}

cxq_effects cxq_loaded(cxq_scheduler *scheduler, int64_t id, const cxq_traits *traits, cxq_moment now) {
    scheduler->is->loaded(id, *traits, now);
    return scheduler->effects();
}

cxq_effects cxq_conditions_changed(cxq_scheduler *scheduler, const cxq_facts *facts, cxq_moment now) {
    scheduler->is->conditionsChanged(*facts, now);
    return scheduler->effects();
}

cxq_effects cxq_finished(cxq_scheduler *scheduler, int64_t id, cxq_moment now) {
    scheduler->is->finished(id, now);
    return scheduler->effects();
}

cxq_effects cxq_stopped(cxq_scheduler *scheduler, int64_t id, cxq_moment now) {
    scheduler->is->stopped(id, now);
    return scheduler->effects();
}

cxq_effects cxq_cancelled(cxq_scheduler *scheduler, int64_t id, cxq_moment now) {
    scheduler->is->cancelled(id, now);
    return scheduler->effects();
}

cxq_effects cxq_woken(cxq_scheduler *scheduler, cxq_moment now) {
    scheduler->is->woken(now);
    return scheduler->effects();
}

size_t cxq_open_count(const cxq_scheduler *scheduler) { return scheduler->is->openCount(); }

}
