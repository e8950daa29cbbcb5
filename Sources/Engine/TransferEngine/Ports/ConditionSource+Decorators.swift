// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
public import TransferModel
public import TransferPolicy

/// A circumstance that holds or does not hold at each moment, and reports its changes.
///
/// ```swift
/// let isRecording = Circumstance { recorder.states.map(\.isRunning) }
/// ```
public struct Circumstance: Sendable {
    let values: @Sendable () -> any AsyncSequence<Bool, Never> & Sendable

    /// Creates a circumstance from a sequence of its values.
    ///
    /// - Parameter values: Returns the sequence, which begins with the current value. Called for each consumer of the
    ///   conditions. Conditions are reported only after the first value.
    public init(_ values: @escaping @Sendable () -> any AsyncSequence<Bool, Never> & Sendable) { self.values = values }
}

extension ConditionSource {
    /// Returns a source that replaces facts by assumptions while a circumstance holds.
    ///
    /// ```swift
    /// let source = LinuxConditions(now: now).assuming(.power(.battery), from: "test", while: isTesting)
    /// ```
    ///
    /// - Parameters:
    ///   - assumptions: The facts that are assumed.
    ///   - name: The name of the one who assumes the facts, which appears in `Conditions.notes`.
    ///   - circumstance: The circumstance while which the assumptions replace the facts.
    public func assuming(
        _ assumptions: Assumptions, from name: String, while circumstance: Circumstance
    ) -> some ConditionSource {
        DecoratedConditions(self, circumstance.values) { conditions, holds in
            guard holds else { return }
            conditions = assumptions.applied(to: conditions)
            conditions.notes.append("Facts are assumed by \(name).")
        }
    }

    /// Returns a source that holds all transfers while a circumstance holds. The machine's own hold takes precedence.
    ///
    /// ```swift
    /// let source = LinuxConditions(now: now).holding("a video call", by: "call-watch", while: isCalling)
    /// ```
    ///
    /// - Parameters:
    ///   - why: The reason for the hold, for users.
    ///   - holder: The name of the holder, for users.
    ///   - circumstance: The circumstance while which no transfer runs.
    public func holding(_ why: String, by holder: String, while circumstance: Circumstance) -> some ConditionSource {
        let hold = MachineHold(by: holder, why: why)
        return DecoratedConditions(self, circumstance.values) { conditions, holds in
            guard holds, conditions.hold.value == nil else { return }
            conditions.hold = Fact(hold, source: .rule, since: conditions.hold.since)
        }
    }

    /// Returns a source with a condition of your own, which transfers require with a `CustomConstraint` and which behaves
    /// like power and network: reasons, remedies, and reports name it.
    ///
    /// ```swift
    /// let source = LinuxConditions(now: now).adding("quiet", from: "office") { office.states.map { $0.isQuiet ? "yes" : "no" } }
    /// constraints.custom = [CustomConstraint("quiet=yes")!]
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the condition, see `CustomConstraint.isName(_:)`. A condition of the same name is replaced.
    ///   - origin: The source of the values, for users.
    ///   - values: Returns the sequence of the values, which begins with the current value; `nil` for unknown. Called for
    ///     each consumer of the conditions. Conditions are reported only after the first value.
    public func adding(
        _ name: String, from origin: String,
        values: @escaping @Sendable () -> any AsyncSequence<String?, Never> & Sendable
    ) -> some ConditionSource {
        DecoratedConditions(self, values) { conditions, value in
            let fact = Fact(value, source: .custom, since: conditions.sleep.since)
            conditions.custom.replace(with: CustomCondition(name, fact, origin: origin))
        }
    }
}

extension Assumptions {
    /// Assumes a power source.
    public static func power(_ power: PowerSource) -> Assumptions {
        var assumptions = Assumptions()
        assumptions.power = power
        return assumptions
    }

    /// Assumes a price of the network.
    public static func metered(_ metered: Metered) -> Assumptions {
        var assumptions = Assumptions()
        assumptions.metered = metered
        return assumptions
    }

    /// Assumes that the network is reachable, or how far.
    public static func network(_ network: Reachability) -> Assumptions {
        var assumptions = Assumptions()
        assumptions.network = network
        return assumptions
    }
}

/// A source that changes the snapshots of another source by the newest value of a sequence.
private final class DecoratedConditions<Base: ConditionSource, Value: Sendable>: ConditionSource {
    private struct State {
        var snapshot: Conditions?
        var value: Value?
        var reported: Conditions?
        var consumer: AsyncStream<Conditions>.Continuation?
        /// The number of the consumer, because a former consumer's sequences may still deliver.
        var number = 0
    }

    private let base: Base
    private let values: @Sendable () -> any AsyncSequence<Value, Never> & Sendable
    private let change: @Sendable (inout Conditions, Value) -> Void
    private let state = Mutex(State())

    init(
        _ base: Base, _ values: @escaping @Sendable () -> any AsyncSequence<Value, Never> & Sendable,
        change: @escaping @Sendable (inout Conditions, Value) -> Void
    ) {
        (self.base, self.values, self.change) = (base, values, change)
    }

    func snapshots() -> AsyncStream<Conditions> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Conditions.self, bufferingPolicy: .bufferingNewest(1))
        let snapshots = base.snapshots()
        let number = state.withLock { state in
            state.consumer?.finish()
            state = State(consumer: continuation, number: state.number + 1)
            return state.number
        }
        let reading = Task {
            for await snapshot in snapshots { update(number) { $0.snapshot = snapshot } }
            continuation.finish()
        }
        let following = Task {
            for await value in values() { update(number) { $0.value = value } }
        }
        continuation.onTermination = { _ in
            reading.cancel()
            following.cancel()
        }
        return stream
    }

    func readyToSleep() { base.readyToSleep() }

    func stop() async { await base.stop() }

    /// Changes the state of a consumer, and reports the resulting conditions unless they are the last ones.
    private func update(_ number: Int, _ body: (inout State) -> Void) {
        state.withLock { state in
            guard state.number == number else { return }
            body(&state)
            guard var conditions = state.snapshot, let value = state.value else { return }
            change(&conditions, value)
            guard conditions != state.reported else { return }
            state.reported = conditions
            state.consumer?.yield(conditions)
        }
    }
}
