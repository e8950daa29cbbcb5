// SPDX-License-Identifier: Apache-2.0
import Foundation
import RawBus

/// Sends batches of random calls to the daemon and checks its replies and health.
final class BusFuzz {
    private let options: FuzzOptions
    private let address: String
    private let health: DaemonHealth
    private var generator: FuzzGenerator
    private var clients: [FuzzClient] = []
    private var faults = FuzzFaults()
    private let descriptors: [Int32]
    private var sent = 0
    private var refused = 0
    /// The daemon's memory and open descriptors, sampled each time all transfers and sessions have ended.
    private var samples: [(at: Duration, kilobytes: Int, descriptors: Int)] = []
    private let begun = ContinuousClock.now

    private static let batch = 24
    private static let clientsAtATime = 3
    private static let batchesBetweenCleanups = 30

    init(options: FuzzOptions, address: String, process: Int32) throws {
        self.options = options
        self.address = address
        health = try DaemonHealth(address: address, process: process)
        descriptors = Self.openDescriptors()
        generator = FuzzGenerator(seed: options.seed, descriptorCount: descriptors.count)
        for number in 0..<6 {
            clients.append(try FuzzClient(app: "org.example.Fuzz.App\(number)", address: address))
        }
    }

    /// Returns descriptors of many kinds: a file, directories, an `O_PATH` descriptor, a write-only descriptor,
    /// devices, a process's memory, and a socket.
    private static func openDescriptors() -> [Int32] {
        let pathOnly: Int32 = 0o10000000
        return [
            open("/etc/hostname", O_RDONLY | O_CLOEXEC), open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
            open("/etc", pathOnly | O_CLOEXEC), open("/dev/null", O_WRONLY | O_CLOEXEC),
            open("/dev/zero", O_RDONLY | O_CLOEXEC), open("/proc/self/mem", O_RDONLY | O_CLOEXEC),
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0), open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        ].filter { $0 >= 0 }
    }

    /// Runs until the time limit or the message limit is reached, or until the daemon dies.
    ///
    /// - Returns: The faults found, each with its count and first example.
    func run() -> [String] {
        var batches = 0
        while elapsed < .seconds(options.seconds), sent < options.messages ?? .max {
            do {
                try sendBatch()
                batches += 1
                if batches.isMultiple(of: Self.batchesBetweenCleanups) { try cleanUp() }
            } catch {
                faults.add("the bus or the daemon failed: \(error)", "the batch before message \(sent)")
                if !health.isAlive || clients.allSatisfy({ (try? $0.reconnect()) == nil }) { break }
            }
            guard health.isAlive else {
                faults.add("the daemon died", "the batch before message \(sent)")
                break
            }
        }
        if health.isAlive { checkGrowth() }
        return faults.lines
    }

    /// One line of `key=value` statistics.
    var summary: String {
        let seconds = Double(elapsed.components.seconds) + 0.001
        let memory = samples.map(\.kilobytes)
        return
            "messages=\(sent) per_s=\(Int(Double(sent) / seconds)) refused=\(refused) longest_ms=\(health.longest.milliseconds) "
            + "rss_anon_kb=\(memory.first ?? 0),\(memory.min() ?? 0),\(memory.max() ?? 0),\(memory.last ?? 0) "
            + "fds=\(samples.first?.descriptors ?? 0),\(samples.map(\.descriptors).max() ?? 0) "
            + "signals=\(clients.reduce(0) { $0 + $1.signals })"
    }

    private var elapsed: Duration { ContinuousClock.now - begun }

    /// Sends calls from several clients at the same time, probes the daemon as another caller
    /// meanwhile, and checks the replies.
    private func sendBatch() throws {
        var pending: [(client: FuzzClient, calls: [UInt32: FuzzCall])] = []
        for client in clients.shuffled(using: &generator.random).prefix(Self.clientsAtATime) {
            var calls: [UInt32: FuzzCall] = [:]
            for _ in 0..<Self.batch {
                let call = generator.call(knowing: client.known)
                calls[try client.bus.send(call.message, descriptors: call.passesDescriptors ? descriptors : [])] = call
                sent += 1
            }
            pending.append((client, calls))
        }
        try probe(after: pending.flatMap(\.calls.values))
        for (client, calls) in pending {
            if generator.chance(1) {
                // The client disconnects in the middle of its calls.
                try client.reconnect()
            } else {
                try judge(calls, of: client)
            }
        }
    }

    private func judge(_ calls: [UInt32: FuzzCall], of client: FuzzClient) throws {
        let replies = try client.replies(to: Set(calls.keys), within: 30)
        for (serial, call) in calls.sorted(by: { $0.key < $1.key }) {
            guard let reply = replies[serial] else {
                faults.add("\(call.member.interface).\(call.member.name) got no reply within 30 s", call.text)
                continue
            }
            if reply.kind == .error { refused += 1 }
            if let fault = FuzzFaults.fault(in: reply) { faults.add("\(call.member.name): \(fault)", call.text) }
            client.remember(from: reply, to: call)
        }
    }

    private func probe(after calls: [FuzzCall]) throws {
        if let time = try health.responseTime(), time < .seconds(1) { return }
        let kind = health.isAlive ? "another caller waited longer than a second" : "the daemon died"
        faults.add(kind, "one of:\n" + calls.map { "      " + $0.text }.joined(separator: "\n"))
    }

    private func cleanUp() throws {
        for client in clients { try client.cleanUp() }
        _ = try health.responseTime()
        samples.append((elapsed, health.kilobytes, health.descriptors))
    }

    /// Compares the last quarter of the run with the second quarter. The first quarter is the warm-up.
    private func checkGrowth() {
        guard let last = samples.last?.at, samples.count >= 8 else { return }
        func mean(_ value: (Int, Int) -> Int, _ range: Range<Double>) -> Int {
            let values = samples.filter { range.contains($0.at / last) }.map { value($0.kilobytes, $0.descriptors) }
            return values.isEmpty ? 0 : values.reduce(0, +) / values.count
        }
        let (early, late) = (0.25..<0.5, 0.75..<1.01)
        let memory = (mean({ kilobytes, _ in kilobytes }, early), mean({ kilobytes, _ in kilobytes }, late))
        if memory.1 > memory.0 + options.growth << 10 {
            faults.add("the daemon's memory grew from \(memory.0) KB to \(memory.1) KB", "the whole run")
        }
        let open = (mean({ $1 }, early), mean({ $1 }, late))
        if open.1 > open.0 + 10 {
            faults.add("the daemon's descriptors grew from \(open.0) to \(open.1)", "the whole run")
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
