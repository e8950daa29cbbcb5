// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A transfer as it is handed over, one of many.
public struct NewTransfer: Hashable, Sendable {
    /// What to do.
    public var specification: TransferSpecification
    /// Names "the same transfer" for the store, where the caller wants to find it again; not empty, without NUL.
    public var key: String?

    /// A transfer.
    public init(_ specification: TransferSpecification, key: String? = nil) {
        self.specification = specification
        self.key = key
    }

    /// Looks for what can never be queued.
    static func check(_ transfers: [NewTransfer]) throws(RefusedTransferError) {
        for (index, transfer) in transfers.enumerated() {
            guard let reason = transfer.fault else { continue }
            throw RefusedTransferError(
                index: index, count: transfers.count,
                url: TransferSpecification.redacted(url: transfer.specification.url), reason: reason)
        }
    }

    /// What makes no sense about it; nil where nothing does not.
    private var fault: String? {
        if let key, key.isEmpty || key.utf8.contains(0) {
            return "its key must have at least one character and no NUL; leave it out where nobody looks for it"
        }
        let traits = specification.traits
        do {
            _ = try TransferChange(constraints: traits.constraints, priority: traits.priority).applied(to: traits)
            return nil
        } catch {
            return error.description
        }
    }
}

/// One of the transfers that were handed over together makes no sense; none of them was queued.
public struct RefusedTransferError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which one, counted from 0.
    public var index: Int
    /// How many were handed over.
    public var count: Int
    /// Its URL without secrets.
    public var url: String
    /// What is wrong with it, and what would be right.
    public var reason: String

    /// An error.
    public init(index: Int, count: Int, url: String, reason: String) {
        self.index = index
        self.count = count
        self.url = url
        self.reason = reason
    }

    /// What to tell people; counts from 1.
    public var description: String {
        let place = count > 1 ? "transfer \(index + 1) of \(count)" : "the transfer"
        return "\(place), \(url), cannot be queued: \(reason)"
    }
}
