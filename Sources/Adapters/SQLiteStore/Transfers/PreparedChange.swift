// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel

/// A change whose values are already encoded as text, without a connection. Small, because it passes through several
/// queues.
enum PreparedChange: Sendable {
    indirect case submitted(TransferColumns, key: String?, resume: String?)
    indirect case inserted(StoredTransfer, TransferColumns)
    indirect case respecified(TransferID, TransferColumns)
    indirect case event(TransferID, EventKind, String?)
    indirect case statistics(String)
    indirect case ended(TransferID, String)

    /// - Parameter classes: The cache of the numbers of saved classes.
    init(_ change: StoreChange, _ classes: TraitClassCache) throws {
        switch change {
        case .submitted(let transfer):
            self = .submitted(
                try TransferColumns(transfer.specification, classes), key: transfer.key,
                resume: try transfer.resume.map(JSONText.encode))
        case .inserted(let transfer):
            let specification = transfer.ending == nil ? transfer.specification : transfer.specification.redacted
            self = .inserted(transfer, try TransferColumns(specification, classes))
        case .respecified(let id, let specification):
            self = .respecified(id, try TransferColumns(specification, classes))
        case .checkpointed(let id, let resume): self = .event(id, .resume, try resume.map(JSONText.encode))
        case .retried(let id, let retry): self = .event(id, .retry, try retry.map(JSONText.encode))
        case .suspended(let id, let isSuspended): self = .event(id, .suspended, isSuspended ? "1" : "0")
        case .held(let id, let hold): self = .event(id, .hold, try hold.map(JSONText.encode))
        case .relaunchDelayed(let id, let hold): self = .event(id, .relaunchDelay, try hold.map(JSONText.encode))
        case .statistics(let statistics): self = .statistics(try JSONText.encode(statistics))
        case .ended(let id, let ending): self = .ended(id, try JSONText.encode(ending.redacted))
        }
    }

    /// Whether the change cannot fail by itself and therefore needs no savepoint.
    var cannotFail: Bool { if case .submitted = self { true } else { false } }
}
