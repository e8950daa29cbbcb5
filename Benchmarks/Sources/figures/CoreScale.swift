// SPDX-License-Identifier: Apache-2.0
import CAllocations
import CxxQueue

/// The deciding code alone, with up to a million transfers waiting, against the same design in C++ and against a scan.
enum CoreScale {
    /// How many transfers wait.
    private static let sizes = [1000, 10_000, 100_000, 1_000_000]
    /// Events of each kind in a round.
    private static func events(_ options: Options) -> Int { options.isQuick ? 1000 : 4000 }
    /// The same for the scan, whose events take milliseconds.
    private static let scanEvents = 8

    /// Nanoseconds an event.
    @Sendable static func measure(_ options: Options) throws -> [Figure] {
        try checkPort()
        let names = CoreNames()
        var figures: [Figure] = []
        var ours: [Int: Samples] = [:]
        for size in sizes where size <= options.largest {
            let (swift, cxx) = rounds(size, options, names)
            var scan = Samples()
            for _ in 0..<(options.isQuick ? 1 : 3) {
                scan.add(CoreRun<CxxSide<CxxScan>>(waiting: size, .time, names: names, events: scanEvents).costs)
            }
            ours[size] = swift
            if size <= options.largestSwift {
                figures.append(
                    Figure(
                        name: "core-scale \(size) order of starts", ours: swift.isSameOrder ? 0 : 1, unit: "differs",
                        peer: "C++", theirs: 0, bar: 0, rounds: options.rounds, barIsAbsolute: true))
            }
            for operation in CoreOperation.allCases {
                figures += compare(operation, size, swift, cxx, scan, options)
            }
        }
        guard let small = ours[1000], let large = ours[1_000_000] else { return figures }
        for operation in [CoreOperation.power, .network] {
            figures.append(
                Figure(
                    name: "core-scale growth of \(operation.rawValue)", ours: large.median(operation), unit: "ns",
                    peer: "with 1000 waiting", theirs: small.median(operation), bar: 1.5, rounds: options.rounds))
        }
        return figures
    }

    /// One operation against both peers. Bars are set with the most waiting only.
    private static func compare(
        _ operation: CoreOperation, _ size: Int, _ swift: Samples, _ cxx: Samples, _ scan: Samples, _ options: Options
    ) -> [Figure] {
        let (barAgainstCxx, barAgainstScan): (Double?, Double?) =
            switch operation {
            case .submit, .resubmit, .complete: (2, nil)
            case .power, .network: (nil, 1e-4)
            case .cancel: (nil, nil)
            }
        let isLargest = size == sizes.last
        let ours = swift.median(operation)
        func figure(_ peer: String, _ theirs: Double?, _ bar: Double?) -> Figure {
            Figure(
                name: "core-scale \(size) \(operation.rawValue)", ours: ours, unit: "ns", peer: peer, theirs: theirs,
                bar: isLargest ? bar : nil, rounds: options.rounds)
        }
        let figures = [figure("C++", cxx.median(operation), barAgainstCxx)]
        guard let scanned = scan.median(operation) else { return figures }
        return figures + [figure("scan", scanned, barAgainstScan)]
    }

    /// Bytes a waiting transfer, and allocations an event once nothing grows.
    @Sendable static func measureMemory(_ options: Options) throws -> [Figure] {
        try checkCounting()
        let names = CoreNames()
        var figures: [Figure] = []
        for size in sizes where size <= options.largest {
            let isLargest = size == sizes.last
            let cxx = CoreRun<CxxSide<CxxQueuePort>>(waiting: size, .memory, names: names, events: events(options))
            let (cxxCosts, cxxBytes) = (cxx.costs, cxx.bytes)
            var swiftCosts: [CoreOperation: CoreCost] = [:]
            var swiftBytes: Int64?
            if size <= options.largestSwift {
                let swift = CoreRun<SwiftSide>(waiting: size, .memory, names: names, events: events(options))
                (swiftCosts, swiftBytes) = (swift.costs, swift.bytes)
            }
            figures.append(
                Figure(
                    name: "core-memory \(size) waiting", ours: swiftBytes.map { Double($0) / Double(size) },
                    unit: "bytes each", peer: "C++", theirs: Double(cxxBytes) / Double(size),
                    bar: isLargest ? 100 : nil, rounds: 1, barIsAbsolute: true))
            for operation in CoreOperation.allCases where operation != .submit {
                // Storage that is used again grows now and then where transfers come and go in another mix.
                // An hour of the week that is seen for the first time takes room to be remembered.
                let bar = operation == .power || operation == .network ? 0.002 : 0.05
                figures.append(
                    Figure(
                        name: "core-memory \(size) \(operation.rawValue)",
                        ours: swiftCosts[operation]?.allocationsEach, unit: "allocations", peer: "C++",
                        theirs: cxxCosts[operation]?.allocationsEach, bar: isLargest ? bar : nil, rounds: 1,
                        barIsAbsolute: true))
            }
        }
        return figures
    }

    // MARK: Rounds

    /// Ours, theirs, ours, …, after a warm-up of each where it is short.
    private static func rounds(_ size: Int, _ options: Options, _ names: CoreNames) -> (swift: Samples, cxx: Samples) {
        var (swift, cxx) = (Samples(), Samples())
        // A small backlog is filled more than once, so that what is timed is long enough.
        let fills = min(options.isQuick ? 2 : 20, max(1, 100_000 / size))
        for round in (size < 1_000_000 ? 0 : 1)...options.rounds {
            var (mine, other) = (Samples(), Samples())
            var prints: [UInt64] = []
            if size <= options.largestSwift {
                let run = CoreRun<SwiftSide>(waiting: size, .time, names: names, events: events(options))
                mine.add(run.costs)
                prints.append(run.fingerprint)
                for _ in 0..<(fills - 1) {
                    mine.add(CoreRun<SwiftSide>(waiting: size, .time, names: names, events: 0).costs)
                }
            }
            let run = CoreRun<CxxSide<CxxQueuePort>>(waiting: size, .time, names: names, events: events(options))
            other.add(run.costs)
            prints.append(run.fingerprint)
            for _ in 0..<(fills - 1) {
                other.add(CoreRun<CxxSide<CxxQueuePort>>(waiting: size, .time, names: names, events: 0).costs)
            }
            guard round > 0 else { continue }
            swift.addMedians(of: mine)
            cxx.addMedians(of: other)
            swift.isSameOrder = swift.isSameOrder && prints.allSatisfy { $0 == prints[0] }
        }
        return (swift, cxx)
    }

    /// Values by operation.
    private struct Samples {
        var values: [CoreOperation: [Double]] = [:]
        var isSameOrder = true

        mutating func add(_ costs: [CoreOperation: CoreCost]) {
            for (operation, cost) in costs { values[operation, default: []].append(cost.nanosecondsEach) }
        }

        mutating func addMedians(of other: Samples) {
            for (operation, all) in other.values { values[operation, default: []].append(all.median) }
        }

        /// Nil where nothing was measured.
        func median(_ operation: CoreOperation) -> Double? { values[operation]?.median }
    }

    // MARK: Checks before measuring

    /// The C++ queue and the scan must give out the same effects, or their times mean nothing.
    private static func checkPort() throws {
        let event = cxq_self_check(2026, 10_000)
        guard event == 0 else { throw FigureError("the C++ queue and the scan differ at event \(event) (seed 2026)") }
    }

    /// Swift's own allocations must be among what is counted.
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
            throw FigureError("an array of 8000 bytes was counted as \(counts)")
        }
    }
}
