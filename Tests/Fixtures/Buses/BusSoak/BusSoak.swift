// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import TransferBusClient
import TransferBusProtocol
import TransferModel
import TransferPolicy

/// A hundred apps that use a daemon at random: `BusSoak ADDRESS SECONDS CLIENTS SEED [PAUSE]`; or `BusSoak meter ADDRESS
/// CALLS`.
///
/// With a pause each waits between two calls, so many milliseconds in the mean, as people and apps do: then the times tell
/// how long a call takes. Without, each calls again at once, and the times tell how many wait in the line.
/// The daemon is to be one that nobody else uses. Prints one line of `key=value` pairs: the daemon's memory and
/// descriptors before, in the middle and after, when all clients have gone and all transfers are cancelled. Status 1 where
/// an app saw what is another's, or a call failed.
@main
enum BusSoak {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 3, arguments.first == "meter", let calls = arguments.last.flatMap({ Int($0) }) {
            return try await BusMeter.run(at: Array(arguments)[1], calls: calls)
        }
        guard (4...5).contains(arguments.count), let address = arguments.first,
            case let numbers = arguments.dropFirst().compactMap(UInt64.init), numbers.count == arguments.count - 1
        else {
            FileHandle.standardError.write(
                Data("usage: BusSoak ADDRESS SECONDS CLIENTS SEED [PAUSE] | BusSoak meter ADDRESS CALLS\n".utf8))
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
        let tally = SoakTally()
        // In two halves: what grows from the middle to the end grows for good.
        await run(crowd, for: .seconds(seconds) / 2, seed: seed, tally)
        let middle = try await settled(observer, process, address, clients)
        await run(crowd, for: .seconds(seconds) / 2, seed: seed &+ 1, tally)
        let after = try await settled(observer, process, address, clients)
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

    private static func run(_ crowd: Crowd, for time: Duration, seed: UInt64, _ tally: SoakTally) async {
        let ends = ContinuousClock.now + time
        await withTaskGroup(of: Void.self) { group in
            for client in 0..<crowd.clients {
                let soak = SoakClient(
                    address: crowd.address, app: name(of: client), pause: crowd.pause, ends: ends, tally: tally)
                group.addTask { await soak.run(seed: seed &* 1000 &+ UInt64(client)) }
            }
        }
    }

    /// What the daemon takes once every app has cancelled what it had.
    private static func settled(
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

/// Who calls, where, and how often.
private struct Crowd {
    var address: String
    var clients: Int
    var pause: Duration
}

/// What a process takes.
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
