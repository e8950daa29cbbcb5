// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferScheduling

/// A change to a queued transfer. A property that is `nil` leaves the transfer's value unchanged.
///
/// ```swift
/// try await engine.change(id, TransferChange(priority: 900))
/// ```
public struct TransferChange: Hashable, Sendable {
    /// The new urgency. Any kind other than discretionary also removes the mark of a submission from the background.
    public var kind: WorkKind?
    /// The new constraints, which replace all previous constraints.
    public var constraints: Constraints?
    /// The new priority, from 0 to 1000. Transfers with a higher priority start first. Another value is an error, unlike
    /// in `TransferTraits`, whose initializer clamps the priority.
    public var priority: Int?
    /// The new URL of the file, or `nil` to keep the URL.
    package var location: NewLocation?

    /// Creates a change.
    public init(kind: WorkKind? = nil, constraints: Constraints? = nil, priority: Int? = nil) {
        self.kind = kind
        self.constraints = constraints
        self.priority = priority
    }

    /// A change for the user's "start now". The transfer then waits only for its own constraints, not for a policy or
    /// limiter.
    ///
    /// To end a pause or the wait after a failure, use ``TransferEngine/resume(_:)``.
    public static let startNow = TransferChange(kind: .userInitiated)

    /// Returns the traits with the change applied.
    ///
    /// - Throws: `TransferChangeError` if the resulting traits are invalid.
    func applied(to traits: TransferTraits) throws(TransferChangeError) -> TransferTraits {
        var changed = traits
        if let kind {
            changed.kind = kind
            if kind != .discretionary { changed.isFromBackground = nil }
        }
        if let priority {
            guard (0...1000).contains(priority) else { throw .priorityOutOfRange(priority) }
            changed.priority = priority
        }
        if let constraints {
            if let deadline = constraints.deadline?.date, let notBefore = constraints.notBefore?.date,
                deadline <= notBefore
            {
                throw .deadlineBeforeStart(deadline: deadline, notBefore: notBefore)
            }
            if let window = constraints.window, window.windows.isEmpty { throw .windowNeverOpens }
            changed.constraints = constraints
        }
        return changed
    }
}

/// A new URL for the file of a transfer, for example a fresh link in place of an expired one.
///
/// The received bytes are kept if the server's size and validator agree with them.
package struct NewLocation: Hashable, Sendable {
    /// The http or https URL, without user and password.
    package var url: String
    /// The user name and password for the URL's server, or `nil` to keep those of the same server.
    package var credential: Credential?
    /// The key for counting slots per host.
    package var host: String
    /// A Boolean value that indicates whether the server is on this machine.
    package var isLoopback: Bool

    /// Creates a location.
    package init(url: String, credential: Credential?, host: String, isLoopback: Bool) {
        (self.url, self.credential, self.host, self.isLoopback) = (url, credential, host, isLoopback)
    }

    /// Changes the URL, and removes what only the previous server may receive.
    ///
    /// - Throws: `TransferChangeError` if the transfer cannot continue at the URL.
    package func apply(to specification: inout TransferSpecification) throws(TransferChangeError) {
        guard specification.upload == nil, specification.body == nil else { throw .urlIsNotOfDownload }
        let schemes = [specification.url, url].map { TransferSpecification.Server($0)?.scheme }
        guard schemes != ["https", "http"] || specification.allowsInsecureRedirect else { throw .urlIsInsecure }
        specification.move(to: url)
        specification.credential = credential ?? specification.credential
    }

    /// Changes the server by which the transfer is scheduled.
    func apply(to traits: inout TransferTraits) { (traits.host, traits.isLoopback) = (host, isLoopback) }
}

/// An error that indicates that a change is invalid.
public enum TransferChangeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The priority is outside 0…1000.
    case priorityOutOfRange(Int)
    /// The deadline is not later than the earliest start date.
    case deadlineBeforeStart(deadline: WallTime, notBefore: WallTime)
    /// The window constraint contains no window, so the transfer could never run.
    case windowNeverOpens
    /// The new URL would send over http what was requested over https.
    case urlIsInsecure
    /// The transfer with a new URL is an upload, or its request has a body.
    case urlIsNotOfDownload

    /// A description of the fault and of a valid value.
    public var description: String {
        switch self {
        case .priorityOutOfRange(let priority): "the priority \(priority) is invalid; use a number from 0 to 1000"
        case .deadlineBeforeStart: "the deadline must be later than the earliest start date"
        case .windowNeverOpens: "the window constraint contains no window, so it is never open; omit the constraint"
        case .urlIsInsecure:
            "the present URL is encrypted (https), and the new one is not; use an https URL, or add the transfer again"
        case .urlIsNotOfDownload:
            "only a download without a request body can get a new URL; cancel the transfer and add it again"
        }
    }
}
