// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The rate that all transfers together have reached on each connection.
///
/// A sample covers at least two seconds in which bytes arrived, and weighs a quarter against all earlier samples.
public struct ThroughputHistory: Hashable, Sendable, Codable {
    private struct Entry: Hashable, Sendable, Codable {
        var rate: Int64
        var used: WallTime
    }

    /// The number of connections that the history keeps. The connection that was used longest ago is forgotten first.
    public static let limit = 64
    /// The shortest time that a sample covers.
    static let sampleLength = Duration.seconds(2)

    private var connections: [String: Entry] = [:]

    /// Creates an empty history.
    public init() {}

    /// The number of connections with a known rate.
    public var count: Int { connections.count }

    /// Returns the rate on a connection in bytes per second, or `nil` if no transfer has used the connection.
    public func rate(on connection: String) -> Int64? { connections[connection]?.rate }

    /// Records that `bytes` arrived in `elapsed` time until `date`.
    mutating func add(_ bytes: Int64, in elapsed: Duration, on connection: String, at date: WallTime) {
        let nanoseconds = elapsed.wholeNanoseconds
        guard bytes > 0, nanoseconds > 0 else { return }
        let sample = min(Double(bytes) / (Double(nanoseconds) / 1e9), 1e15)
        let smoothed = connections[connection].map { Double($0.rate) * 0.75 + sample * 0.25 } ?? sample
        connections[connection] = Entry(rate: max(1, Int64(smoothed)), used: date)
        guard connections.count > Self.limit,
            let oldest = connections.min(by: { ($0.value.used, $0.key) < ($1.value.used, $1.key) })
        else { return }
        connections[oldest.key] = nil
    }
}

/// A meter of the rate that all transfers together reach, which combines their reports into samples.
package struct ThroughputMeter: Sendable {
    private var start: Instant?
    private var end = Instant(nanoseconds: .min)
    private var bytes: Int64 = 0
    private var connection = ""

    package init() {}

    /// Records a report of one transfer, and adds a sample to `history` when enough time is covered.
    ///
    /// - Parameters:
    ///   - new: The bytes that arrived since `before`.
    ///   - before: The transfer's previous report.
    package mutating func record(
        _ new: Int64, since before: Instant, at now: ClockReading, on connection: String,
        in history: inout ThroughputHistory
    ) {
        guard new > 0, before < now.instant else { return }
        // Time in which nothing ran says nothing about the connection.
        if start == nil || before > end || connection != self.connection {
            (start, bytes, self.connection) = (before, 0, connection)
        }
        bytes = bytes.addingSaturating(new)
        end = max(end, now.instant)
        guard let start, start.duration(to: end) >= ThroughputHistory.sampleLength else { return }
        history.add(bytes, in: start.duration(to: end), on: connection, at: now.wall)
        (self.start, bytes) = (end, 0)
    }
}

extension Conditions {
    /// The name under which the rate of the current connection is known: its own name, or the kind of its link.
    package var throughputKey: String { connection.value ?? linkKind.value.rawValue }
}
