// SPDX-License-Identifier: Apache-2.0
import CRawStore
import Foundation
import SQLiteStore
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

/// Measures the queue on disk: the rate of durable submissions, and the time from a start until a long queue decides
/// again.
enum StoreScale {
    // MARK: Submissions

    static func measureSubmit(_ options: Options) throws -> [BenchmarkResult] {
        let folder = try WorkFolder(in: options.diskFolder, room: 2 << 30)
        let (count, rounds) = (options.isQuick ? 20_000 : 100_000, options.rounds)
        var (ours, raw, syncs, single, jobs): ([Double], [Double], [Double], [Double], [Double]) = ([], [], [], [], [])
        for round in 0...rounds {
            let path = "\(folder.path)/submit-\(round)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let (mine, alone) = try run {
                (
                    try await submit(count, callers: 256, to: path + "/ours.sqlite"),
                    try await submit(2000, callers: 1, to: path + "/single.sqlite")
                )
            }
            let theirs = try checked(raw_store_submit(path + "/raw.sqlite", Int32(count), 256), "SQLite")
            let sync = try checked(raw_sync(path + "/sync", 2000), "fdatasync")
            let job = try? APScheduler.add(options, to: path + "/jobs.sqlite")
            try FileManager.default.removeItem(atPath: path)
            guard round > 0 else { continue }
            ours.append(mine / Double(count) * 1e6)
            raw.append(theirs / Double(count) * 1e6)
            single.append(alone / 2000 * 1e6)
            syncs.append(sync / 2000 * 1e6)
            if let job { jobs.append(job * 1e6) }
        }
        return [
            BenchmarkResult(
                name: "store-submit, 256 callers", ours: Spread(ours), unit: "µs each", peer: "raw C",
                theirs: Spread(raw), bar: 1.25),
            BenchmarkResult(
                name: "store-submit, 256 callers", ours: Spread(ours), unit: "µs each", peer: "fdatasync / 25",
                theirs: Spread(syncs)?.map { $0 / 25 }, bar: 1),
            BenchmarkResult(
                name: "store-submit, one caller", ours: Spread(single), unit: "µs each", peer: "fdatasync",
                theirs: Spread(syncs), bar: 1.1),
            BenchmarkResult(
                name: "store-submit, one caller", ours: Spread(single), unit: "µs each", peer: "APScheduler",
                theirs: Spread(jobs), bar: nil),
        ]
    }

    /// Returns the seconds until all transfers are durable.
    private static func submit(_ count: Int, callers: Int, to path: String) async throws -> Double {
        let store = try SQLiteStore(SQLiteStoreConfiguration(path: path))
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    for index in stride(from: caller, to: count, by: callers) {
                        try await store.commit([.submitted(transfer(index), resume: nil)])
                    }
                }
            }
            try await group.waitForAll()
        }
        let elapsed = ContinuousClock.now - start
        await store.close()
        return elapsed / .seconds(1)
    }

    private static func transfer(_ index: Int) -> NewTransfer {
        let host = "https://\(index % 8).example.org:443"
        return NewTransfer(
            TransferSpecification(
                url: "https://\(index % 8).example.org/files/\(index).bin",
                destination: Destination(directory: "/srv/downloads", name: nil),
                traits: TransferTraits(
                    kind: .discretionary, host: host, app: "org.example.App\(index % 8)",
                    submitted: WallTime(secondsSinceEpoch: 1_795_228_604 + Int64(index)))))
    }

    // MARK: Recovery

    static func measureRecover(_ options: Options) throws -> [BenchmarkResult] {
        let folder = try WorkFolder(in: options.diskFolder, room: 2 << 30)
        let (count, rounds) = (options.isQuick ? 100_000 : 1_000_000, options.rounds)
        let path = "\(folder.path)/queue/queue.sqlite"
        try run { try await fill(path, count) }
        var (ours, memory, raw): ([Double], [Double], [Double]) = ([], [], [])
        for round in 0...rounds {
            let child = try recoverInChild(path)
            var rows: Int64 = 0
            let scan = try checked(raw_store_scan(path, &rows), "SQLite")
            guard rows == count else { throw BenchmarkError("the queue contains \(rows) of \(count) transfers") }
            guard round > 0 else { continue }
            ours.append(child.seconds)
            memory.append(child.megabytes)
            raw.append(scan)
        }
        return [
            BenchmarkResult(
                name: "store-recover, \(count) waiting, to the first start", ours: Spread(ours), unit: "s",
                peer: "raw C scan", theirs: Spread(raw), bar: 1.2),
            BenchmarkResult(
                name: "store-recover, \(count) waiting, memory", ours: Spread(memory), unit: "MB", bar: 160,
                isBarAbsolute: true),
        ]
    }

    private static func fill(_ path: String, _ count: Int) async throws {
        let store = try SQLiteStore(SQLiteStoreConfiguration(path: path))
        for first in stride(from: 0, to: count, by: 10_000) {
            let changes = (first..<min(first + 10_000, count)).map { index in
                StoreChange.submitted(transfer(index), resume: nil)
            }
            try await store.commit(changes)
        }
        await store.close()
    }

    /// Measures a recovery in a separate process, so that the measured memory excludes everything else.
    private static func recoverInChild(_ path: String) throws -> (seconds: Double, megabytes: Double) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--recover", path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let words = text.split(separator: " ").compactMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        guard process.terminationStatus == 0, words.count == 2 else {
            throw BenchmarkError("the recovering process ended with \(process.terminationStatus): \(text)")
        }
        return (words[0], words[1])
    }

    /// Runs the recovery in the separate process. Prints the seconds from opening the store to the first start, and
    /// the peak memory in MB.
    static func recover(_ path: String) throws {
        let line = try run {
            let start = ContinuousClock.now
            let store = try SQLiteStore(SQLiteStoreConfiguration(path: path))
            let now = ClockReading(instant: Instant(nanoseconds: 1), wall: WallTime(secondsSinceEpoch: 1_796_000_000))
            let alarm = ManualAlarm(startingAt: now)
            let engine = TransferEngine(
                store: store, executor: FakeExecutor(), conditions: ManualConditionSource(goodConditions(now)),
                alarm: alarm, seed: 1)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await engine.run() }
                for await update in engine.updates {
                    guard case .transfer(let update) = update, case .started = update.kind else { continue }
                    break
                }
                let seconds = (ContinuousClock.now - start) / .seconds(1)
                let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
                let kilobytes = peak?.split(separator: " ").compactMap { Double($0) }.first ?? 0
                engine.shutDown()
                try await group.waitForAll()
                return "\(seconds) \(kilobytes * 1024 / 1e6)"
            }
        }
        print(line)
    }

    private static func goodConditions(_ now: ClockReading) -> Conditions {
        var conditions = Conditions(unknownSince: now)
        conditions.power = Fact(.ac, source: .upower, since: now)
        conditions.network = Fact(.full, source: .kernel, since: now)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: now)
        conditions.metered = Fact(.no, source: .networkManager, since: now)
        return conditions
    }

    // MARK: Parts

    private static func checked(_ seconds: Double, _ what: String) throws -> Double {
        guard seconds >= 0 else { throw BenchmarkError("\(what) failed") }
        return seconds
    }

    /// Runs asynchronous work and blocks until it is done.
    private static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let box = ResultBox<Value>()
        let done = DispatchSemaphore(value: 0)
        Task {
            do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
            done.signal()
        }
        done.wait()
        guard let result = box.result else { throw BenchmarkError("the operation returned no result") }
        return try result.get()
    }

    private final class ResultBox<Value: Sendable>: @unchecked Sendable {
        // Guard: written before the semaphore is signaled, and read after the wait.
        var result: Result<Value, any Error>?
    }
}

/// A scheduler in Python with a durable job store.
private enum APScheduler {
    /// Returns the seconds per job added to APScheduler's SQLAlchemy store. Throws if APScheduler is not installed.
    static func add(_ options: Options, to path: String) throws -> Double {
        guard let python = options.program("python3") else { throw BenchmarkError("python3 is not installed") }
        let script = """
            import sys, time, logging
            from datetime import datetime, timedelta
            from apscheduler.schedulers.background import BackgroundScheduler
            from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
            s = BackgroundScheduler(jobstores={'default': SQLAlchemyJobStore(url='sqlite:///' + sys.argv[1])})
            s.start(paused=True)
            later = datetime.now() + timedelta(days=30)
            begin = time.monotonic()
            for i in range(300): s.add_job('time:sleep', 'date', run_date=later, args=[0])
            print((time.monotonic() - begin) / 300)
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = ["-c", script, path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0,
            let seconds = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw BenchmarkError("APScheduler is not installed for \(python)") }
        return seconds
    }
}
