// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A device's days as bands: power, network, and one band of transfers per policy.
///
/// ```swift
/// let timeline = PageTimeline(trace, bands: [.init(name: "strict", activity: outcome.activity)])
/// ```
public struct PageTimeline: Sendable {
    /// The times at which a policy transferred bytes.
    public struct Band: Sendable {
        /// The name of the policy.
        public var name: String
        /// The periods of transfer, in chronological order.
        public var activity: [DeviceOutcome.Activity]

        /// Creates a band.
        public init(name: String, activity: [DeviceOutcome.Activity]) {
            self.name = name
            self.activity = activity
        }
    }

    /// The device's name in the study.
    let name: String
    let bands: [Band]
    private let trace: Trace

    /// Creates a timeline.
    ///
    /// - Parameters:
    ///   - trace: The device's days.
    ///   - name: The device's name in the study; `nil` for the name of the trace.
    ///   - bands: The transfers, one band per policy.
    public init(_ trace: Trace, name: String? = nil, bands: [Band]) {
        self.trace = trace
        self.name = name ?? trace.device
        self.bands = bands
    }

    /// The number of columns for the whole trace. The size of the drawing does not grow with the trace.
    private static let columns = 790

    private var start: Int64 { trace.start.nanosecondsSinceEpoch }
    private var span: Double { Double(trace.end.nanosecondsSinceEpoch &- start) }

    /// The start and the length in seconds, the number of columns, and the bands: the columns where each run of a style
    /// begins and ends. A policy's band has the name of the policy as its style.
    var json: [JSONValue.Pair] {
        let rows = [
            ("power", sampled().map { $0?.power.rawValue ?? "unknown" }),
            ("network", sampled().map { $0?.networkState.rawValue ?? "unknown" }),
        ]
        return [
            .init("start", .number(Double(start) / 1e9)), .init("span", .number(span / 1e9)),
            .init("columns", .whole(Self.columns)),
            .init(
                "bands",
                .list(
                    rows.map { ["title": .text($0), "runs": Self.runs($1)] }
                        + bands.map { ["title": .text($0.name), "runs": Self.runs(activeColumns($0))] })),
        ]
    }

    /// Returns the segment at the middle of each column.
    private func sampled() -> [Trace.Segment?] {
        (0..<Self.columns).map { column in
            let middle = start &+ Int64((Double(column) + 0.5) / Double(Self.columns) * span)
            return trace.segment(at: WallTime(nanosecondsSinceEpoch: middle))
        }
    }

    /// Returns the policy's name for each column in which any byte arrived, and `nil` for the others.
    private func activeColumns(_ band: Band) -> [String?] {
        var columns = [String?](repeating: nil, count: Self.columns)
        func column(_ date: WallTime) -> Int {
            let share = Double(date.nanosecondsSinceEpoch &- start) / span
            return min(max(0, Int(share * Double(Self.columns))), Self.columns - 1)
        }
        for activity in band.activity {
            for index in column(activity.start)...max(column(activity.start), column(activity.end)) {
                columns[index] = band.name
            }
        }
        return columns
    }

    /// Combines adjacent columns of the same style. Leaves out columns whose style is `nil`.
    private static func runs(_ styles: [String?]) -> JSONValue {
        var runs: [String: [Int]] = [:]
        for (column, style) in styles.enumerated() {
            guard let style else { continue }
            if runs[style]?.last == column {
                runs[style]?.removeLast()
            } else {
                runs[style, default: []].append(column)
            }
            runs[style]?.append(column + 1)
        }
        return .object(runs.sorted { $0.key < $1.key }.map { .init($0, .list($1.map { .whole($0) })) })
    }
}

extension Trace.Segment {
    /// The state of the network in drawings.
    enum NetworkState: String {
        case free, metered, none, unknown
    }

    /// The network while the machine is awake.
    var networkState: NetworkState {
        if isSuspended { return .none }
        return network == .none ? .none : network == .unknown ? .unknown : isMetered ? .metered : .free
    }
}
