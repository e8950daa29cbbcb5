// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Synchronization
public import TransferEngine
public import TransferModel

/// Tells what a Linux machine is like: power from UPower and the kernel, the path from the kernel, the price from
/// NetworkManager, the power profile from its daemon or the desktop portal, and sleep from logind.
///
/// Everything is driven by events; while nothing changes nothing runs. Each service may be absent, start late, hang,
/// die and come back. Reading starts with the first call of `snapshots()`; `stop()` must be called to let go of the two
/// threads.
public actor LinuxConditions: ConditionSource {
    private let configuration: LinuxConditionsConfiguration
    private let now: @Sendable () -> Moment
    private let executor: GLibExecutor
    /// The end, once somebody has asked for it.
    private let ending = Mutex<Task<Void, Never>?>(nil)

    private let recorder: ConditionsRecorder?
    private var fold: ConditionsFold
    private var consumer: AsyncStream<Conditions>.Continuation?
    private var readers: ConditionReaders?
    private var localTimeWatch: (any Sendable)?
    private var firstLimit: GLibSource?

    /// The thread that all readers but UPower's client share.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Prepares; nothing is read yet.
    ///
    /// `now` reads both clocks, as `Alarm.now` does.
    public init(configuration: LinuxConditionsConfiguration = .init(), now: @escaping @Sendable () -> Moment) {
        self.configuration = configuration
        self.now = now
        executor = GLibExecutor(name: "conditions")
        fold = ConditionsFold(localTime: configuration.localTime)
        recorder = configuration.recorder.map { ConditionsRecorder(configuration, write: $0) }
    }

    /// The conditions, now and at each change; ends the stream given out before.
    public nonisolated func snapshots() -> AsyncStream<Conditions> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Conditions.self, bufferingPolicy: .bufferingNewest(1))
        let isRunning = ending.withLock { ending in
            guard ending == nil else { return false }
            executor.perform { self.assumeIsolated { $0.attach(continuation) } }
            return true
        }
        if !isRunning { continuation.finish() }
        return stream
    }

    /// Lets the login manager go ahead with the sleep, or the machine's end, that it has announced.
    public nonisolated func readyToSleep() {
        guard ending.withLock({ $0 == nil }) else { return }
        executor.perform { self.assumeIsolated { $0.readers?.allowSleep() } }
    }

    /// Ends the stream, both threads, and all connections; returns when they are gone.
    public nonisolated func stop() async {
        // Whoever comes second waits for the first: what that has still to ask of the thread would never be answered if
        // the thread were gone.
        let ending = ending.withLock { ending in
            if let ending { return ending }
            let new = Task {
                await letGo()?.stop()
                await executor.stop()
            }
            ending = new
            return new
        }
        await ending.value
    }

    private func attach(_ continuation: AsyncStream<Conditions>.Continuation) {
        consumer?.finish()
        consumer = continuation
        if let snapshot = fold.snapshot { continuation.yield(snapshot) }
        guard readers == nil else { return }
        let limit = min(configuration.firstSnapshotTimeLimit, .seconds(2))
        firstLimit = executor.after(milliseconds: limit.timerMilliseconds) { _ = self.observe(.firstIsDue) }
        let readers = ConditionReaders(configuration: configuration, executor: executor) { self.observe($0) }
        self.readers = readers
        readers.start()
        localTimeWatch = configuration.watchLocalTime?({ [weak self] rules in self?.setLocalTime(rules) })
    }

    private nonisolated func setLocalTime(_ rules: LocalTimeRules) {
        guard ending.withLock({ $0 == nil }) else { return }
        executor.perform { self.assumeIsolated { _ = $0.observe(.localTime(rules)) } }
    }

    /// The one way from the readers to the conditions.
    private func observe(_ observation: Observation) -> [ConditionsFold.Order] {
        let now = now()
        recorder?.record(observation, at: now)
        let outcome = fold.take(observation, at: now)
        if let conditions = outcome.conditions {
            firstLimit = nil
            recorder?.record(conditions, at: now)
            consumer?.yield(conditions)
        }
        return outcome.orders
    }

    private func letGo() -> UPowerClientReader? {
        consumer?.finish()
        consumer = nil
        firstLimit = nil
        localTimeWatch = nil
        defer { readers = nil }
        return readers?.stop()
    }
}
