// SPDX-License-Identifier: Apache-2.0
import LinuxKernel

/// The running requests for segments of a file.
///
/// All times are nanoseconds of `MonotonicTime`.
struct SegmentRequests {
    private struct Request {
        let segment: Int
        let exchange: Exchange
        var lastActivity: UInt64
    }
    private var requests: [Request] = []

    /// A Boolean value that indicates whether no request for a segment is running.
    var isEmpty: Bool { requests.isEmpty }

    /// The exchanges of all segments.
    var exchanges: [Exchange] { requests.map(\.exchange) }

    /// Adds the request for a segment, sent at `now`.
    mutating func add(_ exchange: Exchange, for segment: Int, now: UInt64) {
        requests.append(Request(segment: segment, exchange: exchange, lastActivity: now))
    }

    /// Returns the running exchanges for a segment.
    func exchanges(for segment: Int) -> [Exchange] {
        requests.filter { $0.segment == segment }.map(\.exchange)
    }

    /// Records that the server sent something.
    ///
    /// - Returns: The segment of the exchange, or `nil` if the exchange is not for a segment.
    mutating func recordActivity(of exchange: Exchange, now: UInt64) -> Int? {
        guard let index = index(of: exchange) else { return nil }
        requests[index].lastActivity = max(requests[index].lastActivity, now)
        return requests[index].segment
    }

    /// Removes an ended exchange and returns its segment.
    mutating func remove(_ exchange: Exchange) -> Int? {
        index(of: exchange).map { requests.remove(at: $0).segment }
    }

    /// Excludes a gap during which this process did not run. `StallDetector.tick` measures the gap.
    mutating func exclude(_ gap: UInt64, now: UInt64) {
        for index in requests.indices { requests[index].lastActivity = min(now, requests[index].lastActivity + gap) }
    }

    /// Returns the segments whose servers have been silent for at least `seconds`.
    ///
    /// - Parameters:
    ///   - seconds: The silence limit in seconds.
    ///   - idle: A closure that returns the nanoseconds since an activity, without the delays that this process
    ///     caused.
    func silent(seconds: Int, idle: (UInt64) -> UInt64) -> [Int] {
        let limit = MonotonicTime.nanoseconds(ofSeconds: seconds)
        return requests.filter { idle($0.lastActivity) >= limit }.map(\.segment)
    }

    private func index(of exchange: Exchange) -> Int? { requests.firstIndex { $0.exchange === exchange } }
}
