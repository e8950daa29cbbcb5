// SPDX-License-Identifier: Apache-2.0
#include "Queue.hpp"

#include <algorithm>

// Numbers for what many transfers have in common. What belongs to a server or a session goes with the last transfer
// that names it; apps, levels and requirements stay, since their turns and counts are not forgotten.

namespace cxq {

namespace {

uint64_t textHash(std::string_view text) { return std::hash<std::string_view>{}(text); }

uint64_t siteHash(std::string_view name, int32_t app) { return textHash(name) ^ static_cast<uint64_t>(app + 1) << 32; }

uint64_t laneHash(const Lane &lane) {
    return hashOf(lane.app, lane.host, lane.session) ^ static_cast<uint64_t>(lane.hostLimit) << 56;
}

}  // namespace

int32_t Queue::recordOf(int64_t id) const {
    // Numbers are given in order: most that are handed over need not be looked for.
    if (id > lastID_) return none;
    return index_.find(static_cast<uint64_t>(id), [&](int32_t record) { return records_[record].id == id; });
}

int32_t Queue::siteOf(Pool<Site> &sites, IndexTable &table, std::string_view name, int32_t app) {
    const int32_t known = table.find(siteHash(name, app), [&](int32_t item) {
        return sites[item].app == app && sites[item].name == name;
    });
    if (known != none) return known;
    const int32_t site = sites.take();
    sites[site].name = name;
    sites[site].app = app;
    sites[site].running = sites[site].references = 0;
    table.insert(site, [&](int32_t item) { return siteHash(sites[item].name, sites[item].app); });
    return site;
}

void Queue::release(Pool<Site> &sites, IndexTable &table, int32_t site) {
    if (--sites[site].references > 0) return;
    table.erase(site, [&](int32_t item) { return siteHash(sites[item].name, sites[item].app); });
    sites.release(site);
}

int32_t Queue::appOf(std::string_view name) {
    const int32_t known = appTable_.find(textHash(name), [&](int32_t item) { return apps_[item].name == name; });
    if (known != none) return known;
    const int32_t app = apps_.take();
    apps_[app].name = name;
    appTable_.insert(app, [this](int32_t item) { return textHash(apps_[item].name); });
    return app;
}

int32_t Queue::laneOf(const cxq_traits &traits) {
    Lane lane{};
    lane.app = appOf(view(traits.app));
    lane.host = siteOf(hosts_, hostTable_, view(traits.host), none);
    lane.session = traits.session.length > 0 ? siteOf(sessions_, sessionTable_, view(traits.session), lane.app) : none;
    lane.hostLimit = std::max(1, traits.slots_per_host > 0 ? traits.slots_per_host : settings_.slots_per_host);
    const int32_t known = laneTable_.find(laneHash(lane), [&](int32_t item) {
        const Lane &other = lanes_[item];
        return other.app == lane.app && other.host == lane.host && other.session == lane.session &&
               other.hostLimit == lane.hostLimit;
    });
    if (known != none) return known;
    const int32_t number = lanes_.take();
    lanes_[number] = lane;
    ++hosts_[lane.host].references;
    if (lane.session != none) ++sessions_[lane.session].references;
    laneTable_.insert(number, [this](int32_t item) { return laneHash(lanes_[item]); });
    return number;
}

int32_t Queue::familyOf(Requirements needs) {
    const int32_t known = familyTable_.find(needs.packed, [&](int32_t item) {
        return families_[static_cast<size_t>(item)].needs.packed == needs.packed;
    });
    if (known != none) return known;
    const int32_t family = static_cast<int32_t>(families_.size());
    families_.push_back({needs, {none, none, none, none}, TimingWheel(now_.wall)});
    familyTable_.insert(family, [this](int32_t item) { return families_[static_cast<size_t>(item)].needs.packed; });
    return family;
}

int32_t Queue::classOf(int32_t family, int stage) {
    Family &owner = families_[static_cast<size_t>(family)];
    int32_t &cls = owner.classes[stage];
    if (cls != none) return cls;
    cls = static_cast<int32_t>(classes_.size());
    classes_.push_back({family, stage});
    availability_.add(owner.needs, stage, cls);
    updateAvailability();
    return cls;
}

int32_t Queue::levelOf(const cxq_traits &traits) {
    Level level{};
    level.isUrgent = Kind(traits.kind) == Kind::userInitiated;
    level.hasDeadline = traits.deadline != never;
    level.priority = traits.priority;
    const auto place = std::ranges::lower_bound(ranked_, level.rank(), {}, [this](int32_t item) {
        return levels_[static_cast<size_t>(item)].rank();
    });
    if (place != ranked_.end() && levels_[static_cast<size_t>(*place)].rank() == level.rank()) return *place;
    const int32_t number = static_cast<int32_t>(levels_.size());
    ranked_.insert(place, number);
    levels_.push_back(std::move(level));
    return number;
}

int32_t Queue::cellOf(int32_t family, int32_t level, int32_t lane) {
    const int32_t known = cellTable_.find(hashOf(family, level, lane), [&](int32_t item) {
        const Cell &other = cells_[item];
        return other.family == family && other.level == level && other.lane == lane;
    });
    if (known != none) return known;
    const int32_t cell = cells_.take();
    cells_[cell] = {family, level, lane, 0, {none, none, none, none}};
    ++lanes_[lane].references;
    cellTable_.insert(cell, [this](int32_t item) { return hashOfCell(item); });
    return cell;
}

void Queue::releaseCell(int32_t cell) {
    if (--cells_[cell].references > 0) return;
    cellTable_.erase(cell, [this](int32_t item) { return hashOfCell(item); });
    cells_.release(cell);
    const int32_t lane = cells_[cell].lane;
    if (--lanes_[lane].references > 0) return;
    laneTable_.erase(lane, [this](int32_t item) { return laneHash(lanes_[item]); });
    lanes_.release(lane);
    release(hosts_, hostTable_, lanes_[lane].host);
    if (lanes_[lane].session != none) release(sessions_, sessionTable_, lanes_[lane].session);
}

int32_t Queue::shelfOf(int32_t level, int32_t cls) {
    std::vector<int32_t> &shelves = levels_[static_cast<size_t>(level)].shelves;
    if (static_cast<size_t>(cls) >= shelves.size()) shelves.resize(static_cast<size_t>(cls) + 1, none);
    int32_t &shelf = shelves[static_cast<size_t>(cls)];
    if (shelf != none) return shelf;
    shelf = shelves_.take();
    shelves_[shelf].level = level;
    shelves_[shelf].cls = cls;
    return shelf;
}

int32_t Queue::queueOf(int32_t shelf, int32_t app) {
    const int32_t known = queueTable_.find(hashOf(shelf, app), [&](int32_t item) {
        return queues_[item].shelf == shelf && queues_[item].app == app;
    });
    if (known != none) return known;
    const int32_t queue = queues_.take();
    AppQueue &made = queues_[queue];
    made.place = AppQueue::idle;
    made.shelf = shelf;
    made.app = app;
    made.buckets = 0;
    queueTable_.insert(queue, [this](int32_t item) { return hashOfQueue(item); });
    return queue;
}

int32_t Queue::bucketOf(int32_t cell, int stage) {
    if (cells_[cell].buckets[stage] != none) return cells_[cell].buckets[stage];
    const Cell &owner = cells_[cell];
    const int32_t queue = queueOf(shelfOf(owner.level, classOf(owner.family, stage)), lanes_[owner.lane].app);
    ++queues_[queue].buckets;
    const int32_t bucket = buckets_.take();
    Bucket &made = buckets_[bucket];
    made.place = Bucket::idle;
    made.cell = cell;
    made.lane = owner.lane;
    made.queue = queue;
    made.first = made.last = none;
    made.lastID = always;
    cells_[cell].buckets[stage] = bucket;
    return bucket;
}

}  // namespace cxq
