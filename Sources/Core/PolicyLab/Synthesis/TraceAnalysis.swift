// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What traces are like: how much of their time is good, how long good and bad times last, and how soon a bad one ends.
public struct TraceAnalysis: Sendable {
    /// Whether a moment is of the kind that is looked at; nil where nobody knows.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A free network.
        case unmetered
        /// Mains.
        case ac
        /// Both.
        case strict

        func holds(in segment: Trace.Segment) -> Bool? {
            let isFree = segment.network != .none && !segment.isMetered && !segment.isSuspended
            let hasNetwork: Bool? = segment.network == .unknown ? nil : isFree
            let isOnAC: Bool? = segment.power == .unknown ? nil : segment.power == .ac
            switch self {
            case .unmetered: return hasNetwork
            case .ac: return isOnAC
            case .strict: return hasNetwork.flatMap { network in isOnAC.map { $0 && network } }
            }
        }
    }

    /// Stretches of one answer in one trace. Those that touch the unknown or an end of the trace are cut short.
    private struct Stretch {
        var start: WallTime
        var end: WallTime
        var answer: Bool?

        var seconds: Double { start.duration(to: end).labSeconds }
    }

    private let traces: [Trace]
    /// The delays of the served-within table, in seconds.
    public static let delays: [Double] = [0, 100, 600, 1800, 3600, 7200, 14_400, 28_800, 86_400]

    /// An analysis.
    public init(_ traces: [Trace]) { self.traces = traces }

    /// The share of each class of all time, and what is unknown or without a network.
    public var shares: TextTable {
        var table = TextTable(columns: [
            .init("device", isNumeric: false), .init("days"), .init("known %"), .init("ac+wifi %"),
            .init("battery+wifi %"), .init("ac+cell %"), .init("battery+cell %"), .init("no network %"),
            .init("changes/day"),
        ])
        for trace in traces { table.rows.append([trace.device] + Self.shares([trace])) }
        if traces.count > 1 { table.rows.append(["all"] + Self.shares(traces)) }
        return table
    }

    private static func shares(_ traces: [Trace]) -> [String] {
        var (span, known, without) = (0.0, 0.0, 0.0)
        var classes = Array(repeating: 0.0, count: CostClass.allCases.count)
        var changes = 0
        for trace in traces {
            span += trace.span
            changes += trace.segments.count - 1
            for segment in trace.segments {
                let time = segment.start.duration(to: segment.end).labSeconds
                if segment.isKnown { known += time }
                if let costClass = segment.costClass {
                    classes[costClass.rawValue] += time
                } else if segment.isKnown {
                    without += time
                }
            }
        }
        // Of what is known, for the rest nobody knows.
        let ofKnown = (classes + [without]).map { known > 0 ? Study.percent($0 / known) : "-" }
        return [
            Decimal.text(span / 86_400, digits: 1), span > 0 ? Study.percent(known / span) : "-",
        ] + ofKnown + [span > 0 ? Decimal.text(Double(changes) / (span / 86_400), digits: 1) : "-"]
    }

    /// How long the periods last, with and without, and the Weibull distribution that fits their lengths best.
    public var periods: TextTable {
        var table = TextTable(columns: [
            .init("periods", isNumeric: false), .init("number"), .init("mean"), .init("median"), .init("p95"),
            .init("Weibull shape"), .init("scale s"),
        ])
        for kind in Kind.allCases {
            for answer in [true, false] {
                let lengths = lengths(of: kind, answer)
                let fit = Weibull(fitting: lengths)
                let mean = lengths.isEmpty ? nil : lengths.reduce(0, +) / Double(lengths.count)
                table.rows.append([
                    "\(kind.rawValue): \(answer ? "yes" : "no")", "\(lengths.count)", Study.duration(mean),
                    Study.duration(Summary.quantile(lengths, 0.5)), Study.duration(Summary.quantile(lengths, 0.95)),
                    fit.map { Decimal.text($0.shape, digits: 2) } ?? "-",
                    fit.map { Decimal.text($0.scale, digits: 0) } ?? "-",
                ])
            }
        }
        return table
    }

    /// How long the periods with or without last, in seconds, in order; only those whose begin and end were seen.
    public func lengths(of kind: Kind, _ answer: Bool) -> [Double] {
        traces.flatMap { Self.wholeStretches(of: kind, in: $0) }.filter { $0.answer == answer }.map(\.seconds).sorted()
    }

    /// The share of known time that is good, by the hour of the day in UTC plus an offset.
    public func hours(offsetSeconds: Int64) -> TextTable {
        var table = TextTable(
            columns: [.init("hour")] + Kind.allCases.map { .init("\($0.rawValue) %") })
        let sums = Kind.allCases.map { kind in hourSums(kind, offsetSeconds) }
        for hour in 0..<24 {
            table.rows.append(
                ["\(hour)"] + sums.map { $0[hour].all > 0 ? Study.percent($0[hour].good / $0[hour].all) : "-" })
        }
        return table
    }

    private func hourSums(_ kind: Kind, _ offsetSeconds: Int64) -> [(good: Double, all: Double)] {
        var sums = Array(repeating: (good: 0.0, all: 0.0), count: 24)
        for stretch in traces.flatMap({ Self.stretches(of: kind, in: $0) }) {
            guard let answer = stretch.answer else { continue }
            var time = stretch.start
            while time < stretch.end {
                let local = time.secondsSinceEpoch + offsetSeconds
                let second = ((local % 3600) + 3600) % 3600
                let next = WallTime(secondsSinceEpoch: time.secondsSinceEpoch + 3600 - second)
                let end = min(next, stretch.end)
                let hour = Int((((local - second) / 3600) % 24 + 24) % 24)
                let seconds = time.duration(to: end).labSeconds
                sums[hour].all += seconds
                if answer { sums[hour].good += seconds }
                time = end
            }
        }
        return sums
    }

    /// The share of moments from which a good one comes within a time, among those for which that is known.
    public var servedWithin: TextTable {
        var table = TextTable(
            columns: [.init("within", isNumeric: false)] + Kind.allCases.map { .init("\($0.rawValue) %") })
        for delay in Self.delays {
            let cells = Kind.allCases.map { kind in shareServed(kind, within: delay).map(Study.percent) ?? "-" }
            table.rows.append([Study.duration(delay)] + cells)
        }
        return table
    }

    /// The share of known moments, taken evenly, that are good or followed by a good one within `delay` seconds.
    ///
    /// Of a bad stretch that ends in the unknown only what lies further than `delay` before its end counts: of the rest
    /// nobody knows.
    public func shareServed(_ kind: Kind, within delay: Double) -> Double? {
        var (served, all) = (0.0, 0.0)
        for trace in traces {
            let stretches = Self.stretches(of: kind, in: trace)
            for (index, stretch) in stretches.enumerated() {
                let next = index + 1 < stretches.count ? stretches[index + 1].answer : nil
                switch stretch.answer {
                case true?:
                    served += stretch.seconds
                    all += stretch.seconds
                case false? where next == true:
                    served += min(stretch.seconds, delay)
                    all += stretch.seconds
                case false?: all += max(0, stretch.seconds - delay)
                case nil: break  // Nobody knows.
                }
            }
        }
        return all > 0 ? served / all : nil
    }

    // MARK: Stretches

    /// All of a trace, in order, neighbours with the same answer taken together.
    private static func stretches(of kind: Kind, in trace: Trace) -> [Stretch] {
        var stretches: [Stretch] = []
        for segment in trace.segments {
            let answer = kind.holds(in: segment)
            if let last = stretches.last, last.end < segment.start {
                stretches.append(Stretch(start: last.end, end: segment.start, answer: nil))
            }
            if let last = stretches.last, last.answer == answer {
                stretches[stretches.count - 1].end = segment.end
            } else {
                stretches.append(Stretch(start: segment.start, end: segment.end, answer: answer))
            }
        }
        return stretches
    }

    /// Those whose begin and end were both seen.
    private static func wholeStretches(of kind: Kind, in trace: Trace) -> [Stretch] {
        let all = stretches(of: kind, in: trace)
        return all.indices.dropFirst().dropLast().filter {
            all[$0].answer != nil && all[$0 - 1].answer != nil && all[$0 + 1].answer != nil
        }.map { all[$0] }
    }
}
