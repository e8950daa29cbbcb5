// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// The check that the predictions about one scenario come true.
struct PredictionCheck {
    /// The numbers over all scenarios.
    struct Tally {
        /// The number of waiting transfers.
        var waiting = 0
        /// The number of waiting transfers with a predicted start.
        var predicted = 0
        /// The number of waiting transfers with a single reason and a change that ends it.
        var solelyBlocked = 0
        /// The number of waiting transfers for which a change, changes together, or a date is named that starts them.
        var solved = 0
        /// The number of predictions that were tried.
        var tried = 0
        /// The number of predictions that another transfer disturbed before they could come true.
        var disturbed = 0

        var predictedShare: Double { Double(predicted) / Double(max(1, waiting)) }
        var solvedShare: Double { Double(solved) / Double(max(1, waiting)) }
        var solelyBlockedShare: Double { Double(solelyBlocked) / Double(max(1, waiting)) }
    }

    private let scenario: PredictionScenario
    private let base: Machine
    private(set) var faults: [String] = []
    private(set) var tally = Tally()

    init(seed: UInt64) {
        scenario = PredictionScenario(seed: seed)
        base = scenario.machine()
    }

    /// Tries every prediction about every waiting transfer.
    mutating func run() {
        for id in base.store.keys.sorted() where !base.occupiesSlot(id) {
            guard let explanation = base.explanation(of: id), !explanation.reasons.isEmpty else { continue }
            tally.waiting += 1
            let changes = explanation.remedies.filter { if case .wait = $0 { false } else { true } }
            if changes.count < explanation.remedies.count { tally.predicted += 1 }
            if explanation.reasons.count == 1, !changes.isEmpty { tally.solelyBlocked += 1 }
            if !explanation.remedies.isEmpty || explanation.joint != nil { tally.solved += 1 }
            for remedy in explanation.remedies { examine([remedy], on: id, explanation) }
            if let joint = explanation.joint { examine(joint.changes, after: joint.after, on: id, explanation) }
        }
    }

    /// Makes changes and examines the start.
    ///
    /// - Parameter after: The predicted time to the start; `nil` if the only change states it.
    private mutating func examine(
        _ remedies: [Remedy], after: Duration? = nil, on id: TransferID, _ explanation: Explanation
    ) {
        let machine = scenario.machine()
        let now = machine.elapsed
        let times = remedies.map { apply($0, to: machine, id) }
        guard let expected = after ?? times[0], !times.contains(nil) else { return }
        // Time alone may start the transfer first.
        if case .wait = remedies[0] {
        } else if explanation.startByTime(at: base.now).map({ $0 <= expected }) == true {
            return
        }
        let first = machine.log.count
        machine.advance(to: now + expected + .seconds(10))
        // The change itself may have started the transfer at once.
        let entries = machine.log[min(first, changeStart)...]
        tally.tried += 1
        let slack = remedies.map(\.slack).max() ?? .zero
        let start = entries.first { $0.effect == .start(id) }?.time
        if let start, start >= now + expected - .seconds(1), start <= now + expected + slack { return }
        let isDisturbed = entries.contains { entry in
            guard entry.time < min(start ?? .seconds(Int64.max / 4), now + expected) else { return false }
            return switch entry.effect {
            case .start(let other), .stop(let other): other != id
            default: false
            }
        }
        guard !isDisturbed else {
            tally.disturbed += 1
            return
        }
        faults.append(
            """
            policy \(scenario.policyName), transfer \(id): '\(remedies)' was to start it after \(expected), but it \
            \(start.map { "started after \($0 - now)" } ?? "did not start")
            said: \(explanation.sentence(localTime: .utc))
            then: \(machine.explanation(of: id)?.sentence(localTime: .utc) ?? "-")
            traits: \(String(describing: machine.store[id]?.traits.constraints))
            """)
    }

    private var changeStart: Int { base.log.count }

    /// Makes the change that a remedy names, and returns the time after which the transfer must start. Returns `nil` if
    /// the scenario cannot make the change.
    private func apply(_ remedy: Remedy, to machine: Machine, _ id: TransferID) -> Duration? {
        let constraints = machine.store[id]?.traits.constraints ?? Constraints()
        switch remedy {
        case .wait(let until): return machine.now.wall.duration(to: until)
        case .plugIn: machine.change { $0.observe(\.power, .ac, at: $1) }
        case .chargeAbove(let level):
            machine.change { $0.observe(\.battery, BatteryState(level: min(100, level + 1)), at: $1) }
        case .joinUnmetered: machine.change { $0.observe(\.metered, .no, at: $1) }
        case .joinNetwork: machine.change { $0.join(.ethernet, allowedBy: constraints, at: $1) }
        case .joinKind(let kinds, _):
            machine.change { $0.join(kinds.kinds.first ?? .unknown, allowedBy: constraints, at: $1) }
        case .joinAllowed: machine.change { $0.join(nil, allowedBy: constraints, at: $1) }
        case .resume: machine.apply(.resumed(id))
        case .release: machine.apply(.released(id))
        case .logIn: machine.change { $0.observe(\.network, .full, at: $1) }
        case .become(let constraint):
            machine.change { $0.observe(constraint.name, constraint.values[0], at: $1) }
        case .slot, .freeSpace, .openApp: return nil
        }
        return remedy.delay
    }
}

extension Remedy {
    /// The time from the change to the start, as the remedy states it.
    fileprivate var delay: Duration {
        switch self {
        case .plugIn(let after), .joinUnmetered(let after), .joinNetwork(let after), .joinKind(_, let after),
            .joinAllowed(let after):
            after
        case .chargeAbove, .logIn, .wait, .slot, .freeSpace, .resume, .openApp, .become, .release: .zero
        }
    }

    /// The longest time by which the start may be later. A remedy without a stated time may take a debounce.
    fileprivate var slack: Duration {
        switch self {
        case .chargeAbove, .resume, .release, .logIn: .seconds(10)
        case .plugIn, .joinUnmetered, .joinNetwork, .joinKind, .joinAllowed, .wait, .slot, .freeSpace, .openApp,
            .become:
            .seconds(1)
        }
    }
}

extension Explanation {
    /// The time until time alone starts the transfer; `nil` if time alone does not.
    fileprivate func startByTime(at now: ClockReading) -> Duration? {
        for case .wait(let until) in remedies { return now.wall.duration(to: until) }
        return nil
    }
}

extension Conditions {
    /// Joins a network of a kind, or keeps the kind if it is `nil`. The connection is one that the constraints allow.
    fileprivate mutating func join(_ kind: LinkKind?, allowedBy constraints: Constraints, at now: ClockReading) {
        if let kind {
            observe(\.network, .full, at: now)
            observe(\.linkKind, kind, at: now)
            observe(\.metered, .unknown, at: now)
        }
        observe(\.connection, constraints.connection.allowed?.first, at: now)
        observe(\.roaming, .no, at: now)
    }
}
