// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures how long `transferctl conditions --watch` takes to report a change of power, of the path, or of the
/// metered state. The result is the 95th percentile of 200 changes.
///
/// Needs root privileges for network namespaces, and a NetworkManager inside one of them.
enum ConditionLatency {
    /// Removes and restores a default route.
    @Sendable static func path(_ options: Options) throws -> [BenchmarkResult] {
        if let reason = missing(["ip"]) {
            return [skipped("path-latency", reason, bar: 20)]
        }
        let fixture = try ConditionEnvironment(options)
        try fixture.run("ip link set cable up")
        try fixture.run("ip addr add 10.9.0.2/24 dev cable")
        try fixture.run("ip route add default via 10.9.0.1")
        let watch = try fixture.watch()
        try watch.wait { $0.network == "full" }
        // A single process makes all changes, because the start of a process would count.
        let batch = try Child(fixture.inside(["ip", "-force", "-batch", "-"]), fixture.environment)
        let delays = try (0..<turns(options)).map { turn in
            let isLoss = turn % 2 == 0
            return try watch.time {
                try batch.send("route \(isLoss ? "del default" : "add default via 10.9.0.1")")
            } until: {
                $0.network == (isLoss ? "none" : "full")
            }
        }
        return [percentileResult("path-latency", delays, bar: 20)]
    }

    /// Makes a connection metered, and measures from the start of the `nmcli` process that sets it. The change back
    /// to unmetered is not measured, because it is reported only after the debounce time.
    @Sendable static func metered(_ options: Options) throws -> [BenchmarkResult] {
        if let reason = missing(["ip", "unshare", "dbus-daemon", "nmcli", "NetworkManager"]) {
            return [skipped("metered-latency", reason, bar: 60)]
        }
        let fixture = try ConditionEnvironment(options)
        try fixture.startBus()
        try fixture.startManager()
        let watch = try fixture.watch()
        try watch.wait { $0.metered == "guessNo" }
        var delays: [Double] = []
        for turn in 0..<turns(options) {
            let isMetered = turn % 2 == 0
            let delay = try watch.time {
                try fixture.start("nmcli connection modify wired connection.metered \(isMetered ? "yes" : "no")")
            } until: {
                $0.metered == (isMetered ? "yes" : "no")
            }
            if isMetered { delays.append(delay) }
        }
        return [percentileResult("metered-latency", delays, bar: 60)]
    }

    /// Unplugs and plugs in the AC adapter. Measures the report from the kernel without UPower, and the report from
    /// UPower without the kernel.
    @Sendable static func power(_ options: Options) throws -> [BenchmarkResult] {
        let (kernel, upower) = ("power-latency kernel", "power-latency UPower")
        if let reason = missing(["ip", "dbus-daemon", "umockdev-wrapper", "/usr/bin/python3", "/usr/libexec/upowerd"]) {
            return [skipped(kernel, reason, bar: 20), skipped(upower, reason, bar: 20)]
        }
        let fixture = try ConditionEnvironment(options)
        let plug = try fixture.startPower()
        func measure(_ name: String, by watch: ConditionEnvironment.Watch) throws -> BenchmarkResult {
            let delays = try (0..<turns(options)).map { turn in
                let isIn = turn % 2 == 1
                return try watch.delay(
                    since: { try plug.setPlug(isIn) }, until: { $0.power == (isIn ? "ac" : "battery") })
            }
            return percentileResult(name, delays, bar: 20)
        }
        let listener = try fixture.watch(settings: plug.kernelSettings)
        try listener.wait { $0.powerSource == "sysfs" && $0.power == "ac" }
        let first = try measure(kernel, by: listener)
        try fixture.startBus()
        try plug.startDaemon()
        let client = try fixture.watch(["--sysfs-root", "/nonexistent"])
        try client.wait { $0.powerSource == "UPower" && $0.power == "ac" }
        return [first, try measure(upower, by: client)]
    }

    /// Adds ten thousand routes and removes the default route. Measures from the last change to the correct state.
    /// The second run stops the program during the changes, so that the kernel's queue for the program overruns.
    @Sendable static func flood(_ options: Options) throws -> [BenchmarkResult] {
        let (plain, overrun) = ("flood-latency", "flood-latency overrun")
        if let reason = missing(["ip"]) {
            return [skipped(plain, reason, bar: 100), skipped(overrun, reason, bar: 100)]
        }
        let fixture = try ConditionEnvironment(options)
        try fixture.run("ip link set cable up")
        try fixture.run("ip addr add 10.9.0.2/24 dev cable")
        try fixture.run("ip route add default via 10.9.0.1")
        let routes = (0..<10_000).map {
            "route add 172.\(16 + $0 / 4096 % 16).\($0 / 16 % 256).\($0 % 16 * 16)/28 via 10.9.0.1\n"
        }
        let file = try fixture.write((routes + ["route del default\n"]).joined(), to: "routes")
        let watch = try fixture.watch()
        try watch.wait { $0.network == "full" }
        func measure(_ name: String, isStopped: Bool) throws -> BenchmarkResult {
            let delays = try (0..<(options.isQuick ? 5 : 20)).map { _ in
                if isStopped { kill(watch.id, SIGSTOP) }
                try fixture.run("ip -batch \(file)")
                let delay = try watch.time {
                    if isStopped { kill(watch.id, SIGCONT) }
                } until: {
                    $0.network == "none"
                }
                try fixture.run("ip route flush root 172.16.0.0/12")
                try fixture.run("ip route add default via 10.9.0.1")
                try watch.wait { $0.network == "full" }
                // The report may come before `ip` itself has ended.
                return max(0, delay)
            }
            return percentileResult(name, delays, bar: 100)
        }
        return [try measure(plain, isStopped: false), try measure(overrun, isStopped: true)]
    }

    /// Counts how often a thread of the program wakes up in a minute in which nothing happens. A bus, UPower and
    /// NetworkManager are running.
    @Sendable static func idle(_ options: Options) throws -> [BenchmarkResult] {
        let seconds = options.isQuick ? 10 : 60
        func result(_ name: String, _ count: Int?, bar: Double?) -> BenchmarkResult {
            BenchmarkResult(
                name: "conditions-idle \(name)", ours: count.map { Spread(Double($0)) },
                unit: "wake-ups in \(seconds) s",
                bar: bar, isBarAbsolute: true)
        }
        if let reason = missing([
            "ip", "unshare", "dbus-daemon", "nmcli", "NetworkManager", "umockdev-wrapper", "/usr/bin/python3",
            "/usr/libexec/upowerd",
        ]) {
            logMessage("conditions-idle: \(reason)")
            return [result("readers", nil, bar: 0)]
        }
        let fixture = try ConditionEnvironment(options)
        let plug = try fixture.startPower()
        try fixture.startBus()
        try plug.startDaemon()
        try fixture.startManager()
        let watch = try fixture.watch(settings: plug.kernelSettings)
        try watch.wait { $0.metered == "guessNo" && $0.powerSource == "UPower" }
        // The pause lets the services and the threads that worked during the start become idle.
        sleep(20)
        let before = try contextSwitches(of: watch.id)
        sleep(UInt32(seconds))
        let after = try contextSwitches(of: watch.id)
        // A thread that has started or ended has also been awake.
        let threads = Set(before.keys).union(after.keys).sorted()
        let counts = threads.map { thread in
            let ended = after[thread] ?? (before[thread] ?? 0) + 1
            return (thread, count: ended - (before[thread] ?? 0))
        }
        for (thread, count) in counts where count != 0 {
            logMessage("conditions-idle: the thread \(thread) woke up \(count) times")
        }
        // Dispatch's own thread checks its pool once a second, independently of the program.
        func total(isDispatch: Bool) -> Int {
            counts.filter { $0.0.hasSuffix("-qos.overcommit") == isDispatch }.reduce(0) { $0 + $1.count }
        }
        return [
            result("readers", total(isDispatch: false), bar: 0), result("Dispatch", total(isDispatch: true), bar: nil),
        ]
    }

    /// Returns the number of context switches of each thread of a process, voluntary and involuntary, by the thread's
    /// ID and name.
    static func contextSwitches(of process: Int32) throws -> [String: Int] {
        let folder = "/proc/\(process)/task"
        var counts: [String: Int] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let status = try String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
            let lines = status.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
            let switches = lines.filter { $0[0].contains("ctxt_switches") }.compactMap { $0.last.flatMap { Int($0) } }
            let name = lines.first { $0[0] == "Name:" }?.last ?? ""
            counts["\(thread) \(name)"] = switches.reduce(0, +)
        }
        return counts
    }

    private static func turns(_ options: Options) -> Int { options.isQuick ? 40 : 200 }

    private static func missing(_ programs: [String]) -> String? {
        guard getuid() == 0 else { return "not run: needs root" }
        let missing = programs.filter {
            $0.hasPrefix("/") ? !FileManager.default.isExecutableFile(atPath: $0) : Command.find($0) == nil
        }
        return missing.isEmpty ? nil : "not run: not installed: \(missing.joined(separator: ", "))"
    }

    private static func percentileResult(_ name: String, _ delays: [Double], bar: Double) -> BenchmarkResult {
        logMessage("\(name): median \(String(format: "%.1f", delays.median)) ms")
        return BenchmarkResult(
            name: name, ours: Spread(delays, at: 0.95), unit: "ms", bar: bar, statistic: "95th percentile",
            isBarAbsolute: true)
    }

    private static func skipped(_ name: String, _ reason: String, bar: Double) -> BenchmarkResult {
        logMessage("\(name): \(reason)")
        return BenchmarkResult(name: name, ours: nil, unit: "ms", bar: bar, isBarAbsolute: true)
    }
}
