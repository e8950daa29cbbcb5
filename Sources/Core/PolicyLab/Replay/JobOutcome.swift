// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// What became of one job.
public struct JobOutcome: Hashable, Sendable, Codable {
    /// Its number.
    public var id: Int64
    /// Whose it was.
    public var app: String
    /// When it was handed over.
    public var arrival: WallTime
    /// When it was to be done.
    public var deadline: WallTime?
    /// Its size.
    public var bytes: Int64
    /// When it was done; nil where it was not.
    public var finished: WallTime?
    /// Attempts in which bytes came.
    public var starts = 0
    /// The longest time in a row in which no byte of it came.
    public var longestWait: Duration = .zero

    init(_ job: Job) {
        id = job.id
        app = job.app
        arrival = job.arrival
        deadline = job.deadline
        bytes = job.bytes
    }

    /// From its arrival to its end, in seconds.
    public var delay: Double? { finished.map { arrival.duration(to: $0).labSeconds } }

    /// Whether it was not done by its deadline.
    public var isMissed: Bool {
        guard let finished else { return true }
        return deadline.map { finished > $0 } ?? false
    }
}
