// SPDX-License-Identifier: Apache-2.0
import CAllocations

/// Measures the scheduling code alone, with up to a million waiting transfers.
enum CoreScale {
    /// The numbers of waiting transfers.
    private static let sizes = [1000, 10_000, 100_000, 1_000_000]
    /// Returns the number of events of each kind per round.
    private static func events(_ options: Options) -> Int { options.isQuick ? 1000 : 4000 }

    /// Measures nanoseconds per event. Only the largest number of waiting transfers has bars.
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let names = CoreNames()
        var results: [BenchmarkResult] = []
        var spreads: [Int: [CoreOperation: Spread]] = [:]
        for size in sizes where size <= options.largest {
            let costs = rounds(size, options, names)
            spreads[size] = costs
            for operation in CoreOperation.allCases {
                results.append(
                    BenchmarkResult(
                        name: "core-scale \(size) \(operation.rawValue)", ours: costs[operation], unit: "ns",
                        bar: size == sizes.last ? bar(operation) : nil, isBarAbsolute: true))
            }
        }
        guard let small = spreads[1000], let large = spreads[1_000_000] else { return results }
        for operation in [CoreOperation.power, .network] {
            results.append(
                BenchmarkResult(
                    name: "core-scale growth of \(operation.rawValue)", ours: large[operation], unit: "ns",
                    peer: "with 1000 waiting", theirs: small[operation], bar: 1.5))
        }
        return results
    }

    /// Returns the maximum nanoseconds of an operation; `nil` for no bar.
    private static func bar(_ operation: CoreOperation) -> Double? {
        switch operation {
        case .submit, .resubmit, .power, .network: 2000
        case .complete, .cancel: nil
        }
    }

    /// Returns the costs of several rounds. A warm-up round precedes them if a round is short.
    private static func rounds(_ size: Int, _ options: Options, _ names: CoreNames) -> [CoreOperation: Spread] {
        var values: [CoreOperation: [Double]] = [:]
        // A small backlog is filled several times, so that the measured time is long enough.
        let fills = min(options.isQuick ? 2 : 20, max(1, 100_000 / size))
        for round in (size < 1_000_000 ? 0 : 1)...options.rounds {
            var samples: [CoreOperation: [Double]] = [:]
            for fill in 0..<fills {
                let run = CoreRun(waiting: size, .time, names: names, events: fill == 0 ? events(options) : 0)
                for (operation, cost) in run.costs { samples[operation, default: []].append(cost.nanosecondsEach) }
            }
            for (operation, all) in samples where round > 0 { values[operation, default: []].append(all.median) }
        }
        return values.compactMapValues { Spread($0) }
    }

    /// Measures bytes per waiting transfer, and allocations per event once nothing grows.
    @Sendable static func measureMemory(_ options: Options) throws -> [BenchmarkResult] {
        try checkCounting()
        let names = CoreNames()
        var results: [BenchmarkResult] = []
        for size in sizes where size <= options.largest {
            let isLargest = size == sizes.last
            let run = CoreRun(waiting: size, .memory, names: names, events: events(options))
            results.append(
                BenchmarkResult(
                    name: "core-memory \(size) waiting", ours: Spread(Double(run.bytes) / Double(size)),
                    unit: "bytes each",
                    bar: isLargest ? 200 : nil, isBarAbsolute: true))
            for operation in CoreOperation.allCases where operation != .submit {
                // Reused storage still grows occasionally if transfers arrive and leave in a different mix. An hour
                // of the week needs memory when it is seen for the first time.
                let bar = operation == .power || operation == .network ? 0.002 : 0.05
                results.append(
                    BenchmarkResult(
                        name: "core-memory \(size) \(operation.rawValue)",
                        ours: run.costs[operation].map { Spread($0.allocationsEach) },
                        unit: "allocations", bar: isLargest ? bar : nil, isBarAbsolute: true))
            }
        }
        return results
    }

    /// Checks that Swift's own allocations are counted.
    private static func checkCounting() throws {
        allocations_reset()
        allocations_start()
        let array = [Int64](unsafeUninitializedCapacity: 1000) { buffer, count in
            buffer.initialize(repeating: 7)
            count = 1000
        }
        allocations_stop()
        let counts = allocations_read()
        guard array.count == 1000, counts.allocations >= 1, counts.live_bytes >= 8000 else {
            throw BenchmarkError("an array of 8000 bytes was counted as \(counts)")
        }
    }
}
