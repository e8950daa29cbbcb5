// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// Turns observations into conditions: decodes each observation, debounces it with Core's rules, and merges it into
/// the next snapshot.
///
/// The fold reads no clock and keeps no timer, but returns orders for the readers. The same observations at the same
/// times therefore produce the same snapshots.
struct ConditionsFold {
    /// An order for the readers.
    enum Order: Hashable {
        /// Restart the debounce timer of a reading. If the timer expires, the change has lasted long enough.
        case startTimer(DebouncedReading)
        /// Stop the debounce timer of a reading.
        case stopTimer(DebouncedReading)
        /// Read the prices again after this time, because another forecast becomes known or the prices end.
        case readPrices(after: Duration)
        /// Read everything that depends on the path, because the path has changed.
        case pathChanged(NetworkPath?)
    }

    /// The result of an observation.
    struct Outcome {
        var orders: [Order] = []
        /// The next snapshot; `nil` if the snapshot has not changed, or if the first snapshot is not due yet.
        var conditions: Conditions?
    }

    private(set) var readings = Readings()
    private var merger: ConditionsMerger
    private var isFirstDue = false
    /// The debounced path; `nil` until the first read.
    private var path: Debounce<NetworkPath?>?
    private var lastPathRead: Instant?
    private let pathDebounce: Duration
    /// The debounced metered state; `nil` until NetworkManager has replied or is known to be absent.
    private var metered: Debounce<Metered?>?
    /// The debounced disagreement between UPower and the kernel about power.
    private var disagreement = Debounce(false)

    /// The newest snapshot; `nil` before the first.
    var snapshot: Conditions? { merger.snapshot }

    init(localTime: LocalTimeRules, pathDebounce: Duration = DebouncedReading.path.defaultTime) {
        merger = ConditionsMerger(localTime: localTime)
        self.pathDebounce = pathDebounce
    }

    /// Processes an observation.
    mutating func process(_ observation: Observation, at now: ClockReading) -> Outcome {
        var outcome = Outcome(orders: decode(observation, at: now))
        merger.record(readings)
        if merger.snapshot != nil || isFirstDue || readings.isComplete {
            outcome.conditions = merger.merge(readings, at: now)
        }
        return outcome
    }

    private mutating func decode(_ observation: Observation, at now: ClockReading) -> [Order] {
        switch observation {
        case .power(let upower, let supplies, let timing): return power(upower, supplies, timing)
        case .kernelEvent: break  // a hint: the supplies are read next
        case .path(let availability, let timing): return path(availability, timing, at: now.instant)
        case .networkManager(let availability): return price(availability.map { NetworkManagerReading($0) })
        case .meteredDebounceEnded: if metered?.elapse() == true { readings.metered = metered?.value }
        case .modemManager(let availability): readings.modems = availability.map { ModemReading.modems(inReply: $0) }
        case .networkPortal(let availability): readings.portal = availability.map { PortalReading(inReply: $0) }
        case .powerProfile(let service, let availability): readings.powerProfile.process(availability, from: service)
        case .login(let availability): readings.sleep = availability
        case .leases(let files):
            readings.isLeaseMetered = files.contains(where: \.isMetered)
        case .overrides(let content):
            do {
                (readings.overrides, readings.overridesProblem) = (try content.overrides(), nil)
            } catch {
                // The last valid overrides still count.
                readings.overridesProblem = "\(error)"
            }
        case .prices(let content):
            return readings.prices.process(content, at: now.wall).map { [Order.readPrices(after: $0)] } ?? []
        case .custom(let reading): readings.custom[reading.name] = reading
        case .localTime(let rules): merger.localTime = rules
        case .firstSnapshotIsDue: isFirstDue = true
        }
        return []
    }

    /// Compares the power states that UPower and the kernel report at the same time.
    ///
    /// One source is always slightly ahead of the other, so a disagreement counts only after the debounce. A daemon
    /// that recovers from a hang, or that starts, may report an earlier state until it has caught up. A disagreement
    /// with its first report therefore counts immediately, because the kernel's state was in force until then.
    private mutating func power(
        _ upower: Availability<UPowerProperties>, _ supplies: Availability<[PowerSupplyFiles]>,
        _ timing: Observation.ReadTiming
    ) -> [Order] {
        let isRecovering = readings.upower == .silent || readings.upower == .absent
        readings.upower = upower.flatMap { properties in properties.decoded.map { .value($0) } ?? .absent }
        readings.supplies = supplies.map { $0.compactMap { PowerSupply(of: $0) } }
        let disagree = Readings.disagree(readings.upower, readings.supplies)
        let order = disagreement.offer(disagree, isUrgent: !disagree || isRecovering || timing == .afterDebounce)
        readings.doesPowerDisagreementCount = disagreement.value
        readings.isPowerDisagreementOpen = disagreement.isPending
        return timerOrders(order, of: .power)
    }

    private mutating func path(
        _ availability: Availability<NetworkSnapshot>, _ timing: Observation.ReadTiming, at now: Instant
    ) -> [Order] {
        guard case .value(let snapshot) = availability else {
            readings.path = availability.map(\.path)
            return []
        }
        guard var debounce = path else {
            path = Debounce(snapshot.path)
            return pathChanged()
        }
        // The first change after a quiet time counts immediately, and those that follow it are debounced.
        let isFirst = timing == .first && lastPathRead.map { $0.duration(to: now) >= pathDebounce } ?? true
        lastPathRead = now
        let isUrgent =
            isFirst || DebouncedReading.isUrgent(from: debounce.value?.kind, to: snapshot.path?.kind)
        let order = debounce.offer(snapshot.path, isUrgent: isUrgent)
        let hasLasted = timing == .afterDebounce && order == .nothing && debounce.elapse()
        path = debounce
        if order == .accept || hasLasted { return pathChanged() }
        return timing == .afterDebounce && order == .wait ? [.startTimer(.path)] : []
    }

    private mutating func pathChanged() -> [Order] {
        let debounced = path?.value ?? nil
        readings.path = .value(debounced)
        return [.pathChanged(debounced)]
    }

    private mutating func price(_ availability: Availability<NetworkManagerReading>) -> [Order] {
        let price = availability.value?.metered
        readings.networkManager = availability
        // The first value counts without a debounce.
        guard metered != nil else {
            metered = Debounce(price)
            readings.metered = price
            return []
        }
        let order = metered?.offer(price, isUrgent: DebouncedReading.isUrgent(price)) ?? .nothing
        readings.metered = metered?.value ?? nil
        return timerOrders(order, of: .price)
    }

    private func timerOrders<Value>(_ order: Debounce<Value>.Action, of reading: DebouncedReading) -> [Order] {
        switch order {
        case .nothing: []
        case .cancel, .accept: [.stopTimer(reading)]
        case .wait: [.startTimer(reading)]
        }
    }
}
