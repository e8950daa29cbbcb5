// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A transfer to submit, alone or as part of a batch.
///
/// ```swift
/// let ids = try await engine.submit(specifications.map { NewTransfer($0, key: $0.url) })
/// ```
public struct NewTransfer: Hashable, Sendable {
    /// The request, the destination, and the requirements of the transfer.
    public var specification: TransferSpecification
    /// A key by which the caller can find the transfer in the store in a later run. Not empty and without NUL.
    public var key: String?
    /// The partial file of an earlier transfer, from which the transfer continues, or `nil` to begin with the first byte.
    public var resume: ResumePoint?

    /// Creates a transfer to submit.
    public init(_ specification: TransferSpecification, key: String? = nil, resume: ResumePoint? = nil) {
        self.specification = specification
        self.resume = resume
        // The estimates of the scheduler see only the traits.
        if let limit = specification.rateLimit { self.specification.traits.rateLimit = limit }
        self.key = key
    }

    /// Fills in the date of the submission and the host, unless the caller has set them.
    mutating func complete(at now: WallTime) {
        if specification.traits.submitted == .atSubmission { specification.traits.submitted = now }
        if specification.traits.host.isEmpty {
            specification.traits.host = TransferSpecification.Server(specification.url)?.origin ?? ""
        }
    }

    /// Checks that every transfer can be queued.
    ///
    /// - Throws: `RefusedTransferError` for the first transfer that can never be queued.
    static func check(_ transfers: [NewTransfer]) throws(RefusedTransferError) {
        for (index, transfer) in transfers.enumerated() {
            guard let reason = transfer.fault else { continue }
            throw RefusedTransferError(
                index: index, count: transfers.count,
                url: RedactedURL.text(of: transfer.specification.url), reason: reason)
        }
    }

    /// The reason why the transfer can never be queued, or `nil` if the transfer is valid.
    private var fault: String? {
        if let key, key.isEmpty || key.utf8.contains(0) {
            return "the key must not be empty or contain NUL; omit the key if it is not needed"
        }
        let traits = specification.traits
        if traits.host.isEmpty, TransferSpecification.Server(specification.url) == nil {
            return "the URL must begin with http:// or https:// and name a host"
        }
        if specification.upload == nil, !specification.destination.directory.hasPrefix("/") {
            return "the folder '\(specification.destination.directory)' must be an absolute path"
        }
        do {
            _ = try TransferChange(constraints: traits.constraints, priority: traits.priority).applied(to: traits)
            return nil
        } catch {
            return error.description
        }
    }
}

/// An error that indicates that a submitted batch contains an invalid transfer. No transfer of the batch was queued.
public struct RefusedTransferError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The index of the invalid transfer in the batch, counted from 0.
    public var index: Int
    /// The number of transfers in the batch.
    public var count: Int
    /// The URL of the invalid transfer, without secrets.
    public var url: String
    /// A description of the fault and of a valid value.
    public var reason: String

    /// Creates an error.
    public init(index: Int, count: Int, url: String, reason: String) {
        self.index = index
        self.count = count
        self.url = url
        self.reason = reason
    }

    /// The message for the user. The message counts the transfers from 1.
    public var description: String {
        let position = count > 1 ? "transfer \(index + 1) of \(count)" : "the transfer"
        return "\(position), \(url), cannot be queued: \(reason)"
    }
}
