// SPDX-License-Identifier: Apache-2.0
import Foundation
import SQLiteStore
import TransferEngine
import TransferModel
import TransferPolicy

/// Measures the idle daemon, with no transfers and with 10,000 waiting transfers: wake-ups, memory and processor
/// time. Also measures the time until the daemon is on the bus.
enum DaemonIdle {
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        guard Command.find("dbus-daemon") != nil else {
            logMessage("daemon-idle: not run: not installed: dbus-daemon")
            return [result("wake-ups", nil, "in 60 s", bar: 0)]
        }
        return try [0, 10_000].flatMap { try measure(options, waiting: $0) }
    }

    private static func measure(_ options: Options, waiting: Int) throws -> [BenchmarkResult] {
        let fixture = try DaemonEnvironment(options)
        try fixture.fill(waiting)
        let name = waiting == 0 ? "none" : "\(waiting)"
        let rounds = options.isQuick ? 3 : 7
        let starts = try (0..<rounds).map { _ in
            let (daemon, seconds) = try fixture.start()
            daemon.end()
            return seconds * 1000
        }
        let (daemon, _) = try fixture.start()
        defer { daemon.end() }
        // The pause lets the threads that worked during the start become idle.
        sleep(options.isQuick ? 8 : 20)
        let seconds = options.isQuick ? 10 : 60
        let idleActivity = try IdleActivity(of: daemon.id, seconds: seconds)
        for (thread, count) in idleActivity.wakeUps where count != 0 {
            logMessage("daemon-idle \(name): the thread \(thread) woke up \(count) times")
        }
        logMessage("daemon-idle \(name): proportional set size \(String(format: "%.1f", idleActivity.proportional)) MB")
        var results = [
            result("\(name) wake-ups", Spread(Double(idleActivity.ownWakeUps)), "in \(seconds) s", bar: 0),
            result(
                "\(name) Dispatch's wake-ups", Spread(Double(idleActivity.dispatchWakeUps)), "in \(seconds) s", bar: nil
            ),
            result("\(name) processor time", Spread(idleActivity.milliseconds), "ms in \(seconds) s", bar: nil),
            result("\(name) resident memory", Spread(idleActivity.resident), "MB", bar: waiting == 0 ? 35 : 40),
            result("\(name) start to bus", Spread(starts), "ms", bar: waiting == 0 ? 40 : 150),
        ]
        let lists = try (0..<rounds).map { _ in try fixture.list() * 1000 }
        results.append(result("\(name) transferctl list", Spread(lists), "ms", bar: waiting == 0 ? nil : 60))
        return results
    }

    private static func result(_ name: String, _ value: Spread?, _ unit: String, bar: Double?) -> BenchmarkResult {
        BenchmarkResult(name: "daemon-idle \(name)", ours: value, unit: unit, bar: bar, isBarAbsolute: true)
    }
}

/// The activity of a process while it had nothing to do.
private struct IdleActivity {
    /// The number of context switches of each thread.
    var wakeUps: [(thread: String, count: Int)]
    var milliseconds: Double
    /// The resident set size in MB, at the end.
    var resident: Double
    var proportional: Double

    /// Observes a process for a number of seconds.
    init(of process: Int32, seconds: Int) throws {
        let before = try ConditionLatency.contextSwitches(of: process)
        let start = try Self.running(process)
        sleep(UInt32(seconds))
        let after = try ConditionLatency.contextSwitches(of: process)
        milliseconds = Double(try Self.running(process) - start) / 1e6
        wakeUps = Set(before.keys).union(after.keys).sorted().map { thread in
            // A thread that has started or ended has also been awake.
            (thread, (after[thread] ?? (before[thread] ?? 0) + 1) - (before[thread] ?? 0))
        }
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let words = line?.split(whereSeparator: \.isWhitespace) ?? []
        resident = (words.count > 1 ? Double(words[1]) ?? .nan : .nan) * 1024 / 1e6
        proportional = Double(ProcessTree.proportionalSetSize(of: process)) / 1e6
    }

    /// The wake-ups of Dispatch's own thread, which checks its pool once a second, independently of the program.
    var dispatchWakeUps: Int { sum(isDispatch: true) }
    var ownWakeUps: Int { sum(isDispatch: false) }

    private func sum(isDispatch: Bool) -> Int {
        wakeUps.filter { $0.thread.hasSuffix("-qos.overcommit") == isDispatch }.reduce(0) { $0 + $1.count }
    }

    /// Returns the processor time of a process in nanoseconds, including that of threads that have ended.
    private static func running(_ process: Int32) throws -> Int {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            throw BenchmarkError("the processor time of process \(process) is not available")
        }
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}

/// A private bus, a queue, and the built daemon.
private final class DaemonEnvironment {
    private let folder: WorkFolder
    private let daemon: String
    private let transferctl: String
    private let bus: Child

    private var environment: [String: String] {
        let address = "unix:path=\(folder.path)/bus"
        return [
            "DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address,
            "XDG_STATE_HOME": folder.path + "/state", "XDG_CONFIG_HOME": folder.path + "/config",
        ]
    }

    init(_ options: Options) throws {
        daemon = try Transferctl.path(options, of: "transferd")
        transferctl = try Transferctl.path(options)
        folder = try WorkFolder(in: options.diskFolder, room: 1 << 28)
        let template = try String(contentsOfFile: ConditionEnvironment.resources + "/bus.conf.in", encoding: .utf8)
        try template.replacingOccurrences(of: "@BUS_SOCKET@", with: folder.path + "/bus")
            .replacingOccurrences(of: "@SERVICE_DIR@", with: folder.path + "/www")
            .write(toFile: folder.path + "/bus.conf", atomically: true, encoding: .utf8)
        bus = try Child(["dbus-daemon", "--config-file=\(folder.path)/bus.conf", "--nofork", "--print-address=1"], [:])
        try bus.wait { $0.hasPrefix("unix:") }
    }

    deinit { bus.end() }

    /// Adds transfers of several apps and hosts to the queue. All of the transfers wait for a date in the distant
    /// future.
    func fill(_ count: Int) throws {
        guard count > 0 else { return }
        let store = try SQLiteStore(SQLiteStoreConfiguration(path: folder.path + "/state/transferd/queue.sqlite"))
        let submitted = WallTime(secondsSinceEpoch: Int64(Date().timeIntervalSince1970))
        let constraints = Constraints(notBefore: NotBeforeConstraint(submitted.advanced(by: .seconds(1 << 30))))
        let root = folder.path
        let done = DispatchSemaphore(value: 0)
        Task {
            defer { done.signal() }
            for start in stride(from: 0, to: count, by: 500) {
                let numbers = start..<min(start + 500, count)
                try await store.commit(
                    numbers.map { number in
                        let host = "host\(number % 20).example.org"
                        let traits = TransferTraits(
                            kind: .normal, constraints: constraints, host: host, app: "org.example.App\(number % 10)",
                            submitted: submitted)
                        let specification = TransferSpecification(
                            url: "https://\(host)/files/number-\(number).bin",
                            destination: Destination(directory: root + "/files", name: nil), traits: traits)
                        return .submitted(NewTransfer(specification), resume: nil)
                    })
            }
            await store.close()
        }
        done.wait()
    }

    /// Starts the daemon. Also returns the seconds until the daemon owns its name on the bus.
    func start() throws -> (daemon: Child, seconds: Double) {
        let begun = ContinuousClock.now
        // The daemon reports its progress in its log.
        let child = try Child(["/bin/sh", "-c", "exec \"$0\" 2>&1", daemon], environment)
        let time = try child.wait { $0.contains("on the bus as") } - begun
        return (child, Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18)
    }

    /// Returns the seconds that a list of all transfers takes.
    func list() throws -> Double {
        let settings = environment.map { "\($0.key)=\($0.value)" }
        return try Command(program: "/usr/bin/env", arguments: settings + [transferctl, "list", "--all"]).run().wall
    }
}
