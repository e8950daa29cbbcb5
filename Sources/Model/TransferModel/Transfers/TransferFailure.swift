// SPDX-License-Identifier: Apache-2.0

/// An error that describes a failed attempt.
///
/// ```swift
/// throw TransferFailure(cause: .status(503), message: "503 Service Unavailable", retryAfterSeconds: 120)
/// ```
public struct TransferFailure: Error, Hashable, Sendable, Codable {
    /// The cause of the failure, which decides the next step.
    public var cause: FailureCause
    /// A sentence for users: the problem, its location, and the remedy.
    public var message: String
    /// The wait that the server requested with `Retry-After`, in seconds.
    public var retryAfterSeconds: Int64?

    /// Creates a failure.
    public init(cause: FailureCause, message: String, retryAfterSeconds: Int64? = nil) {
        self.cause = cause
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }
}
