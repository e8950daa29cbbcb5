// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferScheduling

/// What is to be different about a transfer in the queue; what is nil stays as it is.
public struct TransferChange: Hashable, Sendable {
    /// How urgent it is. Whoever changes it takes the place of the app that handed it over in the background: it no
    /// longer counts as that, unless it stays discretionary.
    public var kind: WorkKind?
    /// All that it asks for, in place of what it asked for.
    public var constraints: Constraints?
    /// 0…1000, higher first.
    public var priority: Int?

    /// A change.
    public init(kind: WorkKind? = nil, constraints: Constraints? = nil, priority: Int? = nil) {
        self.kind = kind
        self.constraints = constraints
        self.priority = priority
    }

    /// A person's "start now": it waits for no policy and no limiter, only for what it asks for itself.
    ///
    /// A pause, and the wait after a failure, end with ``TransferEngine/resume(_:)``.
    public static let startNow = TransferChange(kind: .userInitiated)

    /// The traits with the change.
    ///
    /// - Throws: `TransferChangeError` where it makes no sense.
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

/// Why a change makes no sense.
public enum TransferChangeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The priority is not one of 0…1000.
    case priorityOutOfRange(Int)
    /// It would have to be done before it may begin.
    case deadlineBeforeStart(deadline: WallTime, notBefore: WallTime)
    /// A window constraint without a window: it could never run.
    case windowNeverOpens

    /// What is wrong, and what would be right.
    public var description: String {
        switch self {
        case .priorityOutOfRange(let priority): "the priority \(priority) must be a number from 0 to 1000"
        case .deadlineBeforeStart: "the deadline does not lie after the date before which it may not begin"
        case .windowNeverOpens: "the window constraint has no window, so it could never run; leave the constraint out"
        }
    }
}
