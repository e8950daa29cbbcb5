// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The outcome of one job.
public struct JobOutcome: Hashable, Sendable, Codable {
    /// The job's ID.
    public var id: Int64
    /// The app that the job belongs to.
    public var app: String
    /// The time at which the job was submitted.
    public var arrival: WallTime
    /// The job's deadline; `nil` for no deadline.
    public var deadline: WallTime?
    /// The job's size in bytes.
    public var bytes: Int64
    /// The time at which the job finished; `nil` if it did not finish.
    public var finished: WallTime?
    /// The number of attempts in which bytes arrived.
    public var starts = 0
    /// The longest continuous time in which no byte of the job arrived.
    public var longestWait: Duration = .zero

    init(_ job: Job) {
        id = job.id
        app = job.app
        arrival = job.arrival
        deadline = job.deadline
        bytes = job.bytes
    }

    /// The time from arrival to finish, in seconds; `nil` if the job did not finish.
    public var delay: Double? { finished.map { arrival.duration(to: $0).labSeconds } }

    /// A Boolean value that indicates whether the job did not finish by its deadline. A job that never finished is
    /// missed even without a deadline.
    public var isMissed: Bool {
        guard let finished else { return true }
        return deadline.map { finished > $0 } ?? false
    }
}
