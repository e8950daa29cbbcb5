// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPExecutor
import LinuxClock
import SQLiteStore
import Synchronization
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting
import WorkerExecutor

/// Measures the time from a change of conditions to its effect on the network. Combines the engine and the worker
/// process as `transferctl` does, with simulated conditions and a server that records times.
final class Latency {
    /// The condition that is lost and restored.
    enum Change: String {
        /// The network. Changes take effect immediately in both directions, without debounce or hysteresis.
        case network
        /// The power source. Changes take effect after `debounce` in both directions, and the result excludes this
        /// time.
        case power

        /// The time that the engine waits according to its configuration.
        var debounce: Duration { self == .network ? .zero : .milliseconds(100) }
    }

    /// The times of one restored and one lost condition, in milliseconds.
    private struct Flip {
        var start: Double
        var stop: Double
    }

    private let change: Change
    private let folder: WorkFolder
    private let server: TimestampingServer
    private let alarm: LinuxAlarm
    private let conditions: ManualConditionSource
    private let engine: TransferEngine
    private var present: Conditions
    private var generator = SplitMix64(seed: 2026)
    private let reports = EngineReports()

    /// The engine's reports.
    private final class EngineReports: Sendable {
        /// One time for each stop of the transfer.
        let paused = TimestampQueue()
        /// Signaled when the engine's run has ended.
        let ended = DispatchSemaphore(value: 0)
        /// The last error.
        let lastError = Mutex<String?>(nil)

        func recordError(_ error: any Error) { lastError.withLock { $0 = "\(error)" } }
    }

    private init(_ options: Options, _ change: Change, bytesPerSecond: Int?) throws {
        self.change = change
        folder = try WorkFolder(in: options.memoryFolder, room: 1 << 30)
        server = try TimestampingServer(bytesPerSecond: bytesPerSecond)
        alarm = try LinuxAlarm()
        let now = alarm.now()
        present = Conditions(unknownSince: now)
        present.linkKind = Fact(.ethernet, source: .kernel, since: now)
        present.metered = Fact(.no, source: .networkManager, since: now)
        present.network = Fact(change == .network ? .none : .full, source: .kernel, since: now)
        present.power = Fact(change == .power ? .battery : .ac, source: .upower, since: now)
        conditions = ManualConditionSource(present)
        var scheduling = SchedulerConfiguration()
        // The jitter spreads the start of many machines that reconnect at the same time. This benchmark has only one
        // machine.
        scheduling.staggeredStartJitter = .zero
        scheduling.networkDebounce = Change.network.debounce
        scheduling.networkHysteresis = Change.network.debounce
        scheduling.powerDebounce = Change.power.debounce
        scheduling.powerHysteresis = Change.power.debounce
        let executor = try WorkerExecutor(
            configuration: WorkerExecutorConfiguration(
                executor: HTTPExecutorConfiguration(partialDirectory: "\(folder.path)/partial"),
                program: .at(path: Transferctl.path(options))))
        executor.warmUp()
        engine = TransferEngine(
            store: try SQLiteStore(SQLiteStoreConfiguration(path: "\(folder.path)/state/queue.sqlite")),
            executor: executor, conditions: conditions, alarm: alarm, configuration: scheduling, seed: 2026)
    }

    /// Measures the milliseconds from a restored condition to the first byte of the request.
    @Sendable static func measureStart(_ options: Options) throws -> [BenchmarkResult] {
        try [Change.network, .power].flatMap { change in
            try results("start-latency, \(change)", options, change, bytesPerSecond: 10_000_000, bar: 20, \.start)
        }
    }

    /// Measures the milliseconds from a lost condition to the end of the connection.
    @Sendable static func measureStop(_ options: Options) throws -> [BenchmarkResult] {
        try results("stop-latency, network, full speed", options, .network, bytesPerSecond: nil, bar: 50, \.stop)
            + results("stop-latency, network, 10 MB/s", options, .network, bytesPerSecond: 10_000_000, bar: 50, \.stop)
            + results("stop-latency, power, 10 MB/s", options, .power, bytesPerSecond: 10_000_000, bar: 50, \.stop)
    }

    private static func results(
        _ name: String, _ options: Options, _ change: Change, bytesPerSecond: Int?, bar: Double,
        _ value: (Flip) -> Double
    ) throws -> [BenchmarkResult] {
        let benchmark = try Latency(options, change, bytesPerSecond: bytesPerSecond)
        let values = try benchmark.run(flips: options.isQuick ? 30 : 100).map(value).sorted()
        func result(_ share: Double, _ statistic: String, bar: Double? = nil) -> BenchmarkResult {
            BenchmarkResult(
                name: name, ours: Spread(values, at: share), unit: "ms", bar: bar, statistic: statistic,
                isBarAbsolute: true)
        }
        return [result(0.5, "median"), result(0.95, "95th percentile", bar: bar), result(1, "largest")]
    }

    // MARK: One run

    private func run(flips: Int) throws -> [Flip] {
        begin()
        defer {
            engine.shutDown()
            reports.ended.wait()
        }
        do {
            // The first flip is dropped, because it includes the worker's start and the first connection.
            return Array(try (0...flips).map { _ in try flip() }.dropFirst())
        } catch {
            throw reports.lastError.withLock { $0 }.map { BenchmarkError($0) } ?? error
        }
    }

    private func begin() {
        let now = alarm.now()
        let specification = TransferSpecification(
            url: "http://127.0.0.1:\(server.port)/file",
            destination: Destination(directory: folder.path, name: "file", collision: .overwrite),
            traits: TransferTraits(kind: .discretionary, host: "server", submitted: now.wall))
        Task { [engine, reports] in
            do { try await engine.run() } catch { reports.recordError(error) }
            reports.ended.signal()
        }
        Task { [engine, reports] in
            do { _ = try await engine.submit([NewTransfer(specification)]) } catch { reports.recordError(error) }
        }
        Task { [engine, reports] in
            for await update in engine.updates {
                guard case .transfer(let transfer) = update else { continue }
                switch transfer.kind {
                case .stopped: reports.paused.put(TimestampQueue.now())
                case .retrying(_, let failure, _), .failed(let failure):
                    reports.lastError.withLock { $0 = failure.message }
                case .submitted, .changed, .paused, .resumed, .waiting, .deadline, .started, .progressed, .restarted,
                    .finished, .cancelled:
                    break
                }
            }
        }
    }

    /// Restores the condition, revokes it, and evaluates the times that the server recorded.
    private func flip() throws -> Flip {
        pause(milliseconds: 20...120)
        guard server.requested.pending + server.disconnected.pending + reports.paused.pending == 0 else {
            throw BenchmarkError("the transfer started or stopped unexpectedly")
        }
        let met = send(isMet: true)
        let requested = try server.requested.next("the first request after the condition was restored")
        pause(milliseconds: 60...160)
        let lost = send(isMet: false)
        let disconnected = try server.disconnected.next("the end of the connection after the condition was lost")
        _ = try reports.paused.next("the end of the attempt")
        return Flip(start: milliseconds(from: met, to: requested), stop: milliseconds(from: lost, to: disconnected))
    }

    /// Sends a change of the condition and returns its time, in nanoseconds of CLOCK_MONOTONIC.
    private func send(isMet: Bool) -> UInt64 {
        let time = TimestampQueue.now()
        let now = alarm.now()
        switch change {
        case .network:
            let value = isMet ? Reachability.full : .none
            present.network = present.network.updated(to: value, source: .kernel, confidence: .reported, at: now)
        case .power:
            let value = isMet ? PowerSource.ac : .battery
            present.power = present.power.updated(to: value, source: .upower, confidence: .reported, at: now)
        }
        conditions.send(present)
        return time
    }

    /// Returns the time between two stamps, without the time that the engine waits according to its configuration.
    private func milliseconds(from start: UInt64, to end: UInt64) -> Double {
        Double(end) / 1e6 - Double(start) / 1e6 - change.debounce / .milliseconds(1)
    }

    /// Pauses for a random time, so that flips occur in every phase of the timers.
    private func pause(milliseconds range: ClosedRange<Int>) {
        usleep(UInt32(Int.random(in: range, using: &generator) * 1000))
    }
}
