// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How long `transferctl conditions --watch` takes to tell a change of the path or of the price: the 95th percentile of
/// 200 changes.
///
/// Needs root: network namespaces, and a NetworkManager in one.
enum ConditionLatency {
    /// A default route is taken away and given back; the wait for it to hold, 50 ms, counts.
    @Sendable static func path(_ options: Options) throws -> [Figure] {
        if let reason = missing(["ip"]) {
            return [skipped("path-latency", reason, bar: 100)]
        }
        let scene = try ConditionScene(options)
        try scene.run("ip link set cable up")
        try scene.run("ip addr add 10.9.0.2/24 dev cable")
        try scene.run("ip route add default via 10.9.0.1")
        let watch = try scene.watch()
        try watch.wait { $0.network == "full" }
        // One program for all changes: to start one would count.
        let batch = try Child(scene.inside(["ip", "-force", "-batch", "-"]), scene.environment)
        let delays = try (0..<turns(options)).map { turn in
            let isLoss = turn % 2 == 0
            return try watch.time {
                try batch.send("route \(isLoss ? "del default" : "add default via 10.9.0.1")")
            } until: {
                $0.network == (isLoss ? "none" : "full")
            }
        }
        return [figure("path-latency", delays, bar: 100)]
    }

    /// A connection becomes metered, from the start of the `nmcli` that says so; that it is free again, which is told
    /// only once it has held, does not count.
    @Sendable static func metered(_ options: Options) throws -> [Figure] {
        if let reason = missing(["ip", "unshare", "dbus-daemon", "nmcli", "NetworkManager"]) {
            return [skipped("metered-latency", reason, bar: 60)]
        }
        let scene = try ConditionScene(options)
        try scene.startManager()
        let watch = try scene.watch()
        try watch.wait { $0.metered == "guessNo" }
        var delays: [Double] = []
        for turn in 0..<turns(options) {
            let isMetered = turn % 2 == 0
            let delay = try watch.time {
                try scene.start("nmcli connection modify wired connection.metered \(isMetered ? "yes" : "no")")
            } until: {
                $0.metered == (isMetered ? "yes" : "no")
            }
            if isMetered { delays.append(delay) }
        }
        return [figure("metered-latency", delays, bar: 60)]
    }

    private static func turns(_ options: Options) -> Int { options.isQuick ? 40 : 200 }

    private static func missing(_ programs: [String]) -> String? {
        guard getuid() == 0 else { return "not run: needs root" }
        let missing = programs.filter { Command.find($0) == nil }
        return missing.isEmpty ? nil : "not run: not installed: \(missing.joined(separator: ", "))"
    }

    private static func figure(_ name: String, _ delays: [Double], bar: Double) -> Figure {
        let sorted = delays.sorted()
        let middle = String(format: "%.1f", delays.median)
        note("\(name): median \(middle) ms, longest \(String(format: "%.1f", sorted.last ?? .nan)) ms")
        return Figure(
            name: name, ours: sorted.isEmpty ? nil : sorted[min(sorted.count * 95 / 100, sorted.count - 1)],
            unit: "ms at the 95th percentile", peer: nil, theirs: nil, bar: bar, rounds: delays.count,
            barIsAbsolute: true)
    }

    private static func skipped(_ name: String, _ reason: String, bar: Double) -> Figure {
        note("\(name): \(reason)")
        return Figure(
            name: name, ours: nil, unit: "ms at the 95th percentile", peer: nil, theirs: nil, bar: bar, rounds: 0,
            barIsAbsolute: true)
    }
}
