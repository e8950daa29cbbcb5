// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import FoundationNetworking
import TransferPolicy
import TransferTesting

/// A randomized check of rule T9: requests without a reply are repeated.
struct RepeatedRequestCheck: Sendable {
    /// The number of delayed tasks.
    private static let count = 6
    /// The environment variable that sets the seed. A violation reports the seed for repeating the run.
    private static let seedVariable = "SESSION_RULE_SEED"

    private let check: SessionRuleCheck
    private var random = SplitMix64(seed: 0)

    init(_ check: SessionRuleCheck) { self.check = check }

    mutating func run() async throws {
        let seed = ProcessInfo.processInfo.environment[Self.seedVariable].flatMap(UInt64.init)
        let chosen = seed ?? .random(in: .min ... .max)
        random = SplitMix64(seed: chosen)
        do { try await repeatRequests() } catch {
            throw ContractFailure("\(error), with \(Self.seedVariable)=\(chosen)")
        }
    }

    private mutating func repeatRequests() async throws {
        let (check, count) = (check, Self.count)
        let first = try await check.open()
        for number in 1...count {
            let task = try first.session.download(check.request(.file(number)))
            task.earliestBeginDate = Date().addingTimeInterval(.random(in: 0.2...1.5, using: &random))
            task.resume()
        }
        _ = try await first.session.unfinishedTasks()
        // The process replies to some requests, and ends before or between the requests.
        first.listen(beginning: .random(in: 0...2, using: &random))
        try await pause(upTo: 1.5)
        await first.leave()
        var (begun, ended) = (first.begun, first.ends)
        var starts = 0
        while begun.count < count {
            let (left, earlier) = (count - begun.count, starts)
            if Int.random(in: 0..<3, using: &random) == 0 {
                try await pause(upTo: 0.3)
                try await check.harness.restart()
            }
            // Every process except the first replies to a request, so the next start is not delayed.
            try await check.until("a start for \(left) requests", seconds: 20) {
                try await check.harness.starts(of: SessionConformance.app).count > earlier
            }
            starts = try await check.harness.starts(of: SessionConformance.app).count
            let process = try await check.open()
            process.listen(beginning: .random(in: 1...3, using: &random))
            try await check.until("a request", seconds: 20) { !process.begun.isEmpty }
            try await pause(upTo: 0.1)
            await process.leave()
            try expectEqual(process.begun.intersection(begun), [], "requests that were repeated after a reply")
            begun.formUnion(process.begun)
            ended.formUnion(process.ends)
        }
        let last = try await check.open()
        last.listen()
        let earlier = ended
        try await check.until("all ends") { earlier.union(last.ends).count == count }
        try expect(
            !last.lines.contains { $0.hasSuffix("begin?") }, "a request was repeated after a reply: \(last.lines)")
    }

    /// Waits for a random time of at most `seconds`.
    private mutating func pause(upTo seconds: Double) async throws {
        try await Task.sleep(for: .seconds(Double.random(in: 0...seconds, using: &random)))
    }
}
