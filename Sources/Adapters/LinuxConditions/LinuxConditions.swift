// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Synchronization
public import TransferEngine
public import TransferModel

/// A source of the conditions of a Linux machine. Power comes from UPower and the kernel, and the path comes from the
/// kernel. The metered state comes from NetworkManager, the power profile from its daemon or the desktop portal, and
/// sleep from logind.
///
/// Everything is driven by events: nothing runs while nothing changes. Each service may be absent, start late, hang,
/// exit, and come back. Reading starts with the first call of `snapshots()`. Call `stop()` to end the two threads.
///
/// ```swift
/// let source = LinuxConditions(now: alarm.now)
/// for await conditions in source.snapshots() {
///     print(conditions.power.value, conditions.network.value)
/// }
/// await source.stop()
/// ```
public actor LinuxConditions: ConditionSource {
    private let configuration: LinuxConditionsConfiguration
    private let now: @Sendable () -> ClockReading
    private let executor: GLibExecutor
    /// The task that stops this source; `nil` until `stop()` is called.
    private let ending = Mutex<Task<Void, Never>?>(nil)

    private let recorder: ConditionsRecorder?
    private var fold: ConditionsFold
    private var consumer: AsyncStream<Conditions>.Continuation?
    private var readers: ConditionReaders?
    private var localTimeWatch: (any Sendable)?
    private var firstLimit: GLibSource?

    /// The executor of the thread that all readers share, except UPower's client.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a source that does not read anything yet.
    ///
    /// - Parameters:
    ///   - configuration: The signals to read and their settings. Default: all of them, and local times in UTC; see
    ///     ``LinuxConditionsConfiguration/localTime``.
    ///   - now: Reads both clocks, like `Alarm.now`.
    public init(configuration: LinuxConditionsConfiguration = .init(), now: @escaping @Sendable () -> ClockReading) {
        self.configuration = configuration
        self.now = now
        executor = GLibExecutor(name: "conditions")
        fold = ConditionsFold(localTime: configuration.localTime, pathDebounce: configuration.pathDebounce)
        recorder = configuration.recorder.map { ConditionsRecorder(configuration, write: $0) }
    }

    /// Returns a stream of the current conditions and each change. Ends the stream of the preceding call.
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

    /// Lets logind proceed with the sleep or shutdown that it has announced.
    public nonisolated func readyToSleep() {
        guard ending.withLock({ $0 == nil }) else { return }
        executor.perform { self.assumeIsolated { $0.readers?.allowSleep() } }
    }

    /// Has logind prevent sleep that is not forced, or allow it again if `report` is `nil`. Has no effect before the first
    /// snapshot.
    ///
    /// - Parameter report: Called on the readers' thread with whether logind prevents sleep, whenever that changes.
    package nonisolated func preventSleep(_ report: (@Sendable (Bool) -> Void)?) {
        guard ending.withLock({ $0 == nil }) else { return }
        executor.perform { self.assumeIsolated { $0.readers?.preventSleep(report) } }
    }

    /// Ends the stream, both threads, and all connections. Returns after all of them have ended.
    public nonisolated func stop() async {
        // A second caller waits for the first. The first caller's remaining requests to the thread would never be
        // executed if the second caller ended the thread.
        let ending = ending.withLock { ending in
            if let ending { return ending }
            let new = Task {
                await tearDown()?.stop()
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
        firstLimit = executor.after(milliseconds: limit.timerMilliseconds) { _ = self.observe(.firstSnapshotIsDue) }
        let readers = ConditionReaders(configuration: configuration, executor: executor) { self.observe($0) }
        self.readers = readers
        readers.start()
        localTimeWatch = configuration.watchLocalTime?({ [weak self] rules in self?.setLocalTime(rules) })
    }

    private nonisolated func setLocalTime(_ rules: LocalTimeRules) {
        guard ending.withLock({ $0 == nil }) else { return }
        executor.perform { self.assumeIsolated { _ = $0.observe(.localTime(rules)) } }
    }

    /// Records and processes an observation. The only path from the readers to the conditions.
    private func observe(_ observation: Observation) -> [ConditionsFold.Order] {
        let now = now()
        recorder?.record(observation, at: now)
        let outcome = fold.process(observation, at: now)
        if let conditions = outcome.conditions {
            firstLimit = nil
            recorder?.record(conditions, at: now)
            consumer?.yield(conditions)
        }
        return outcome.orders
    }

    private func tearDown() -> UPowerClientReader? {
        consumer?.finish()
        consumer = nil
        firstLimit = nil
        localTimeWatch = nil
        defer { readers = nil }
        return readers?.stop()
    }
}
