// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Statistics of traces: the share of good time, the lengths of good and bad periods, and the time until a bad period
/// ends.
///
/// ```swift
/// for line in TraceAnalysis([trace]).shares.lines { print(line) }
/// ```
public struct TraceAnalysis: Sendable {
    /// A criterion for good conditions.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The network is unmetered.
        case unmetered
        /// The machine is on AC power.
        case ac
        /// The network is unmetered and the machine is on AC power.
        case strict

        func isMet(in segment: Trace.Segment) -> Bool? {
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

    /// A period of a trace in which the criterion's result does not change.
    private struct Period {
        var start: WallTime
        var end: WallTime
        var isGood: Bool?

        var seconds: Double { start.duration(to: end).labSeconds }
    }

    private let traces: [Trace]
    /// The delays in the ``servedWithin`` table, in seconds.
    public static let delays: [Double] = [0, 100, 600, 1800, 3600, 7200, 14_400, 28_800, 86_400]

    /// Creates an analysis.
    public init(_ traces: [Trace]) { self.traces = traces }

    /// The share of known time in each cost class and without a network, with the share of time that is known.
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
        // Shares refer to the known time.
        let ofKnown = (classes + [without]).map { known > 0 ? Study.percent($0 / known) : "-" }
        return [
            Decimal.text(span / 86_400, digits: 1), span > 0 ? Study.percent(known / span) : "-",
        ] + ofKnown + [span > 0 ? Decimal.text(Double(changes) / (span / 86_400), digits: 1) : "-"]
    }

    /// The number and the lengths of good and bad periods, with the best-fitting Weibull distribution.
    public var periods: TextTable {
        var table = TextTable(columns: [
            .init("periods", isNumeric: false), .init("number"), .init("mean"), .init("median"), .init("p95"),
            .init("Weibull shape"), .init("scale s"),
        ])
        for kind in Kind.allCases {
            for isGood in [true, false] {
                let lengths = lengths(of: kind, isGood)
                let fit = Weibull(fitting: lengths)
                let mean = lengths.isEmpty ? nil : lengths.reduce(0, +) / Double(lengths.count)
                table.rows.append([
                    "\(kind.rawValue): \(isGood ? "yes" : "no")", "\(lengths.count)", Study.duration(mean),
                    Study.duration(Summary.quantile(lengths, 0.5)), Study.duration(Summary.quantile(lengths, 0.95)),
                    fit.map { Decimal.text($0.shape, digits: 2) } ?? "-",
                    fit.map { Decimal.text($0.scale, digits: 0) } ?? "-",
                ])
            }
        }
        return table
    }

    /// Returns the lengths of good or bad periods in seconds, in ascending order. Only periods whose start and end
    /// were observed count.
    public func lengths(of kind: Kind, _ isGood: Bool) -> [Double] {
        traces.flatMap { Self.completePeriods(of: kind, in: $0) }.filter { $0.isGood == isGood }.map(\.seconds).sorted()
    }

    /// Returns the share of known time that is good, by hour of the day in UTC plus an offset.
    public func hours(offsetSeconds: Int64) -> TextTable {
        var table = TextTable(
            columns: [.init("hour")] + Kind.allCases.map { .init("\($0.rawValue) %") })
        let shares = Kind.allCases.map { kind in
            traces.hourShares(offsetSeconds: offsetSeconds) { kind.isMet(in: $0) }
        }
        for hour in 0..<24 { table.rows.append(["\(hour)"] + shares.map { $0[hour].map(Study.percent) ?? "-" }) }
        return table
    }

    /// The share of known time that good conditions follow within a delay, by delay and criterion.
    public var servedWithin: TextTable {
        var table = TextTable(
            columns: [.init("within", isNumeric: false)] + Kind.allCases.map { .init("\($0.rawValue) %") })
        for delay in Self.delays {
            let cells = Kind.allCases.map { kind in shareServed(kind, within: delay).map(Study.percent) ?? "-" }
            table.rows.append([Study.duration(delay)] + cells)
        }
        return table
    }

    /// Returns the share of moments that are good, or followed by a good moment within `delay` seconds. All known
    /// moments have equal weight.
    ///
    /// If a bad period ends in unknown conditions, its last `delay` seconds do not count, because their outcome is
    /// unknown.
    public func shareServed(_ kind: Kind, within delay: Double) -> Double? {
        var (served, all) = (0.0, 0.0)
        for trace in traces {
            let allPeriods = Self.allPeriods(of: kind, in: trace)
            for (index, period) in allPeriods.enumerated() {
                let next = index + 1 < allPeriods.count ? allPeriods[index + 1].isGood : nil
                switch period.isGood {
                case true?:
                    served += period.seconds
                    all += period.seconds
                case false? where next == true:
                    served += min(period.seconds, delay)
                    all += period.seconds
                case false?: all += max(0, period.seconds - delay)
                case nil: break  // The outcome is unknown.
                }
            }
        }
        return all > 0 ? served / all : nil
    }

    // MARK: Periods

    /// Returns all periods of a trace in chronological order. Adjacent segments with the same result are combined.
    private static func allPeriods(of kind: Kind, in trace: Trace) -> [Period] {
        var allPeriods: [Period] = []
        for segment in trace.segments {
            let isGood = kind.isMet(in: segment)
            if let last = allPeriods.last, last.end < segment.start {
                allPeriods.append(Period(start: last.end, end: segment.start, isGood: nil))
            }
            if let last = allPeriods.last, last.isGood == isGood {
                allPeriods[allPeriods.count - 1].end = segment.end
            } else {
                allPeriods.append(Period(start: segment.start, end: segment.end, isGood: isGood))
            }
        }
        return allPeriods
    }

    /// Returns the periods whose start and end were both observed.
    private static func completePeriods(of kind: Kind, in trace: Trace) -> [Period] {
        let all = allPeriods(of: kind, in: trace)
        return all.indices.dropFirst().dropLast().filter {
            all[$0].isGood != nil && all[$0 - 1].isGood != nil && all[$0 + 1].isGood != nil
        }.map { all[$0] }
    }
}

extension [Trace] {
    /// Returns the share of time in which a condition holds, 0…1, by hour of the day in UTC plus an offset; `nil` for an
    /// hour of which nothing is known.
    ///
    /// - Parameter holds: Returns whether the condition holds in a segment; `nil` if that is unknown.
    func hourShares(offsetSeconds: Int64 = 0, where holds: (Trace.Segment) -> Bool?) -> [Double?] {
        var (held, all) = (Array<Double>(repeating: 0, count: 24), Array<Double>(repeating: 0, count: 24))
        for segment in lazy.flatMap(\.segments) {
            guard let isHeld = holds(segment) else { continue }
            var time = segment.start
            while time < segment.end {
                let local = time.secondsSinceEpoch + offsetSeconds
                let second = ((local % 86_400) + 86_400) % 86_400
                let next = WallTime(secondsSinceEpoch: time.secondsSinceEpoch + 3600 - second % 3600)
                let seconds = time.duration(to: Swift.min(next, segment.end)).labSeconds
                all[Int(second / 3600)] += seconds
                if isHeld { held[Int(second / 3600)] += seconds }
                time = next
            }
        }
        return zip(held, all).map { $1 > 0 ? $0 / $1 : nil }
    }
}
