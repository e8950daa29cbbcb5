// SPDX-License-Identifier: Apache-2.0

/// Why an attempt failed.
public struct TransferFailure: Error, Hashable, Sendable, Codable {
    /// The class of failure, which decides what follows.
    public var cause: FailureCause
    /// One sentence for people: what was wrong, where, and what would be right.
    public var message: String
    /// What `Retry-After` asked for, in seconds.
    public var retryAfterSeconds: Int64?

    /// A failure.
    public init(cause: FailureCause, message: String, retryAfterSeconds: Int64? = nil) {
        self.cause = cause
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }
}
