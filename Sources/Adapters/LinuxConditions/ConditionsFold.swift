// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// Makes conditions of what readers saw: decodes it, has Core debounce it, and folds it into one snapshot after another.
///
/// It reads no clock and keeps no timer: what it wants of the readers it orders. The same observations at the same
/// moments make the same snapshots.
struct ConditionsFold {
    /// What the readers are to do.
    enum Order: Hashable {
        /// Starts a reading's timer anew: the change has held when the timer rings.
        case startTimer(DebouncedReading)
        /// Stops the timer of a reading.
        case stopTimer(DebouncedReading)
        /// The path went on changing while it was to settle.
        case followPath
        /// The path is another one: what depends on it is to be read.
        case pathChanged(NetworkPath?)
    }

    /// What came of an observation.
    struct Outcome {
        var orders: [Order] = []
        /// The next snapshot; nil when it equals the one before, or it is too early for the first.
        var conditions: Conditions?
    }

    private(set) var readings = Readings()
    private var merger: ConditionsMerger
    private var isFirstDue = false
    /// Nil until the first look.
    private var path: Debounce<NetworkPath?>?
    /// Nil until NetworkManager's first word, or the word that it is not there.
    private var metered: Debounce<Metered?>?
    /// Whether UPower and the kernel disagree about power.
    private var disagreement = Debounce(false)

    /// The newest snapshot.
    var snapshot: Conditions? { merger.snapshot }

    init(localTime: LocalTimeRules) { merger = ConditionsMerger(localTime: localTime) }

    /// Takes one more observation.
    mutating func take(_ observation: Observation, at now: Moment) -> Outcome {
        var outcome = Outcome(orders: decode(observation, at: now))
        merger.note(readings)
        if merger.snapshot != nil || isFirstDue || readings.isComplete {
            outcome.conditions = merger.merge(readings, at: now)
        }
        return outcome
    }

    private mutating func decode(_ observation: Observation, at now: Moment) -> [Order] {
        switch observation {
        case .power(let upower, let supplies, let look): return power(upower, supplies, look)
        case .kernelEvent: break  // a hint: the supplies are read next
        case .path(let answer, let look): return path(answer, look)
        case .networkManager(let answer): return price(answer.map { NetworkManagerReading($0) })
        case .priceHasHeld: if metered?.elapse() == true { readings.metered = metered?.value }
        case .modemManager(let answer): readings.modems = answer.map { ModemReading.modems(inReply: $0) }
        case .networkPortal(let answer): readings.portal = answer.map { PortalReading(inReply: $0) }
        case .powerProfile(let service, let answer): readings.powerProfile.take(answer, from: service)
        case .login(let answer): readings.sleep = answer
        case .leases(let files):
            readings.doesLeaseSayMetered = files.contains { $0.saysMetered(now: now.wall.secondsSinceEpoch) }
        case .overrides(let content):
            do {
                (readings.overrides, readings.overridesProblem) = (try content.overrides(), nil)
            } catch {
                // What it said before still counts.
                readings.overridesProblem = "\(error)"
            }
        case .localTime(let rules): merger.localTime = rules
        case .firstIsDue: isFirstDue = true
        }
        return []
    }

    /// Compares UPower's word with the kernel's of the same moment.
    ///
    /// One is always a little ahead of the other, so that they disagree counts only once it has lasted. A daemon that
    /// hung and comes round tells what was before it hung until it has caught up: the kernel's word, which was in force
    /// meanwhile, counts against it from the first.
    private mutating func power(
        _ upower: Answer<UPowerProperties>, _ supplies: Answer<[PowerSupplyFiles]>, _ look: Observation.Look
    ) -> [Order] {
        let comesRound = readings.upower == .silent
        readings.upower = upower.flatMap { properties in properties.decoded.map { .value($0) } ?? .absent }
        readings.supplies = supplies.map { $0.compactMap { PowerSupply(of: $0) } }
        let disagree = Readings.disagree(readings.upower, readings.supplies)
        let order = disagreement.offer(disagree, isUrgent: !disagree || comesRound || look == .afterSettling)
        readings.doesPowerDisagreementCount = disagreement.value
        readings.isPowerDisagreementOpen = disagreement.isPending
        return timerOrders(order, of: .power)
    }

    private mutating func path(_ answer: Answer<NetworkSnapshot>, _ look: Observation.Look) -> [Order] {
        guard case .value(let snapshot) = answer else {
            readings.path = answer.map(\.path)
            return []
        }
        guard var debounce = path else {
            path = Debounce(snapshot.path)
            return pathChanged()
        }
        let isUrgent = DebouncedReading.isUrgent(from: debounce.value?.kind, to: snapshot.path?.kind)
        let order = debounce.offer(snapshot.path, isUrgent: isUrgent)
        let hasHeld = look == .afterSettling && order == .nothing && debounce.elapse()
        path = debounce
        if order == .take || hasHeld { return pathChanged() }
        return look == .afterSettling && order == .wait ? [.followPath] : []
    }

    private mutating func pathChanged() -> [Order] {
        let debounced = path?.value ?? nil
        readings.path = .value(debounced)
        return [.pathChanged(debounced)]
    }

    private mutating func price(_ answer: Answer<NetworkManagerReading>) -> [Order] {
        let price = answer.value?.metered
        readings.networkManager = answer
        // The first word counts as it is.
        guard metered != nil else {
            metered = Debounce(price)
            readings.metered = price
            return []
        }
        let order = metered?.offer(price, isUrgent: DebouncedReading.isUrgent(price)) ?? .nothing
        readings.metered = metered?.value ?? nil
        return timerOrders(order, of: .price)
    }

    private func timerOrders<Value>(_ order: Debounce<Value>.Order, of reading: DebouncedReading) -> [Order] {
        switch order {
        case .nothing: []
        case .forget, .take: [.stopTimer(reading)]
        case .wait: [.startTimer(reading)]
        }
    }
}
