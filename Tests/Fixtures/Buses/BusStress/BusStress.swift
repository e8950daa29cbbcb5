// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import TransferBusClient
import TransferBusProtocol
import TransferModel
import TransferPolicy

/// A stress test with a hundred apps that use a daemon at random.
///
/// Usage: `BusStress ADDRESS SECONDS CLIENTS SEED [PAUSE]` or `BusStress meter ADDRESS CALLS`.
///
/// With a pause, each client waits between two calls, `PAUSE` milliseconds on average, as people and apps do. The
/// measured times then show the latency of a call. Without a pause, each client calls again immediately, and the times
/// show the length of the queue. Nobody else may use the daemon.
///
/// Prints one line of `key=value` pairs. The daemon's memory and descriptors are given before, in the middle, and
/// after the run. For the last two, all clients have disconnected and all transfers are canceled. The exit status is
/// 1 if an app saw another app's transfers, or if a call failed.
@main
enum BusStress {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 3, arguments.first == "meter", let calls = arguments.last.flatMap({ Int($0) }) {
            return try await BusMeter.run(at: Array(arguments)[1], calls: calls)
        }
        guard (4...5).contains(arguments.count), let address = arguments.first,
            case let numbers = arguments.dropFirst().compactMap(UInt64.init), numbers.count == arguments.count - 1
        else {
            FileHandle.standardError.write(
                Data("usage: BusStress ADDRESS SECONDS CLIENTS SEED [PAUSE] | BusStress meter ADDRESS CALLS\n".utf8))
            exit(2)
        }
        let (seconds, clients, seed) = (Int(numbers[0]), Int(numbers[1]), numbers[2])
        let crowd = Crowd(
            address: address, clients: clients, pause: .milliseconds(numbers.count > 3 ? Int(numbers[3]) : 0))
        let observer = BusClient()
        try await observer.connect(address: address)
        _ = try await observer.status()
        guard let process = try await observer.daemonProcess() else { exit(3) }
        let before = Footprint(of: process)
        let tally = StressTally()
        // The run has two halves: growth from the middle to the end is a leak.
        await run(crowd, for: .seconds(seconds) / 2, seed: seed, tally)
        let middle = try await cleanUp(observer, process, address, clients)
        await run(crowd, for: .seconds(seconds) / 2, seed: seed &+ 1, tally)
        let after = try await cleanUp(observer, process, address, clients)
        await observer.close()
        print(
            "seed=\(seed) calls=\(tally.calls) calls_per_s=\(tally.calls / max(1, seconds)) failures=\(tally.failures.count) crossings=\(tally.crossings.count) "
                + "p50_ms=\(tally.milliseconds(at: 0.5)) p99_ms=\(tally.milliseconds(at: 0.99)) "
                + "rss_kb=\(before.kilobytes),\(middle.kilobytes),\(after.kilobytes) "
                + "fds=\(before.descriptors),\(middle.descriptors),\(after.descriptors)")
        for line in (tally.crossings + tally.failures).prefix(10) {
            FileHandle.standardError.write(Data((line + "\n").utf8))
        }
        exit(tally.crossings.isEmpty && tally.failures.isEmpty ? 0 : 1)
    }

    private static func name(of client: Int) -> String { "org.example.Soak.App\(client)" }

    private static func run(_ crowd: Crowd, for time: Duration, seed: UInt64, _ tally: StressTally) async {
        let ends = ContinuousClock.now + time
        await withTaskGroup(of: Void.self) { group in
            for client in 0..<crowd.clients {
                let stressClient = StressClient(
                    address: crowd.address, app: name(of: client), pause: crowd.pause, ends: ends, tally: tally)
                group.addTask { await stressClient.run(seed: seed &* 1000 &+ UInt64(client)) }
            }
        }
    }

    /// Cancels all transfers of every app and returns the daemon's footprint.
    private static func cleanUp(
        _ observer: BusClient, _ process: Int64, _ address: String, _ clients: Int
    ) async throws -> Footprint {
        for client in 0..<clients {
            let cleaner = BusClient()
            try await cleaner.connect(address: address)
            try await cleaner.own(name(of: client))
            let rows = try await cleaner.call("List", [.dictionary([:])], type: "(a{sv})").first?.items ?? []
            let ids = rows.compactMap { $0.dictionary?["id"] }
            if !ids.isEmpty { _ = try await cleaner.call("Cancel", [.list(ids)], type: "(ax)") }
            await cleaner.close()
        }
        _ = try await observer.status()
        return Footprint(of: process)
    }
}

/// The configuration of the clients: the bus address, the number of clients, and the mean pause.
private struct Crowd {
    var address: String
    var clients: Int
    var pause: Duration
}

/// The memory and the descriptors that a process uses.
private struct Footprint {
    var kilobytes = 0
    var descriptors = 0

    init(of process: Int64) {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        kilobytes = line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count) ?? 0
    }
}
