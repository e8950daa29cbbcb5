// SPDX-License-Identifier: Apache-2.0
import CAllocations
import CxxQueue

/// The deciding code alone, with up to a million transfers waiting, against the same design in C++ and against a scan.
enum CoreScale {
    /// How many transfers wait.
    private static let sizes = [1000, 10_000, 100_000, 1_000_000]
    /// Events of each kind in a round.
    private static let events = 4000
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
            for operation in CoreOperation.allCases {
                let name = "core-scale \(size) \(operation.rawValue)"
                let mine = swift.median(operation)
                let isBarred = operation != .power && operation != .network
                figures.append(
                    Figure(
                        name: name, ours: mine, unit: "ns", peer: "C++", theirs: cxx.median(operation),
                        bar: isBarred && size == sizes.last ? 2 : nil, rounds: options.rounds))
                guard let scanned = scan.median(operation) else { continue }
                figures.append(
                    Figure(
                        name: name, ours: mine, unit: "ns", peer: "scan", theirs: scanned,
                        bar: isBarred || size != sizes.last ? nil : 1e-4, rounds: options.rounds))
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

    /// Bytes a waiting transfer, and allocations an event once nothing grows.
    @Sendable static func measureMemory(_ options: Options) throws -> [Figure] {
        try checkCounting()
        let names = CoreNames()
        var figures: [Figure] = []
        for size in sizes where size <= options.largest {
            let isLargest = size == sizes.last
            let cxx = CoreRun<CxxSide<CxxQueuePort>>(waiting: size, .memory, names: names, events: events)
            let (cxxCosts, cxxBytes) = (cxx.costs, cxx.bytes)
            var swiftCosts: [CoreOperation: CoreCost] = [:]
            var swiftBytes: Int64?
            if size <= options.largestSwift {
                let swift = CoreRun<SwiftSide>(waiting: size, .memory, names: names, events: events)
                (swiftCosts, swiftBytes) = (swift.costs, swift.bytes)
            }
            figures.append(
                Figure(
                    name: "core-memory \(size) waiting", ours: swiftBytes.map { Double($0) / Double(size) },
                    unit: "bytes each", peer: "C++", theirs: Double(cxxBytes) / Double(size),
                    bar: isLargest ? 100 : nil, rounds: 1, barIsAbsolute: true))
            for operation in CoreOperation.allCases where operation != .submit {
                figures.append(
                    Figure(
                        name: "core-memory \(size) \(operation.rawValue)",
                        ours: swiftCosts[operation]?.allocationsEach, unit: "allocations", peer: "C++",
                        theirs: cxxCosts[operation]?.allocationsEach, bar: isLargest ? 0 : nil, rounds: 1,
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
        let fills = min(20, max(1, 100_000 / size))
        for round in (size < 1_000_000 ? 0 : 1)...options.rounds {
            var (mine, other) = (Samples(), Samples())
            var prints: [UInt64] = []
            if size <= options.largestSwift {
                let run = CoreRun<SwiftSide>(waiting: size, .time, names: names, events: events)
                mine.add(run.costs)
                prints.append(run.fingerprint)
                for _ in 1..<max(2, fills) where fills > 1 {
                    mine.add(CoreRun<SwiftSide>(waiting: size, .time, names: names, events: 0).costs)
                }
            }
            let run = CoreRun<CxxSide<CxxQueuePort>>(waiting: size, .time, names: names, events: events)
            other.add(run.costs)
            prints.append(run.fingerprint)
            for _ in 1..<max(2, fills) where fills > 1 {
                other.add(CoreRun<CxxSide<CxxQueuePort>>(waiting: size, .time, names: names, events: 0).costs)
            }
            guard round > 0 else { continue }
            swift.addMedians(of: mine)
            cxx.addMedians(of: other)
            swift.isSameOrder = swift.isSameOrder && prints.allSatisfy { $0 == prints[0] }
        }
        if !swift.isSameOrder { note("with \(size) waiting Swift and C++ do not start the same transfers in the same order") }
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
