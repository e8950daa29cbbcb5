// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel

/// A change with its texts made, which needs no connection; small, since it goes from hand to hand.
enum PreparedChange: Sendable {
    indirect case submitted(TransferColumns, key: String?, resume: String?)
    indirect case inserted(StoredTransfer, TransferColumns)
    indirect case respecified(TransferID, TransferColumns)
    indirect case event(TransferID, EventKind, String?)
    indirect case learned(String)
    indirect case ended(TransferID, String)

    /// - Parameter classes: those whose numbers need not be asked for.
    init(_ change: StoreChange, _ classes: ClassNumbers) throws {
        switch change {
        case .submitted(let transfer, let resume):
            self = .submitted(
                try TransferColumns(transfer.specification, classes), key: transfer.key,
                resume: try resume.map(JSONText.encode))
        case .inserted(let transfer):
            let specification = transfer.ending == nil ? transfer.specification : transfer.specification.redacted
            self = .inserted(transfer, try TransferColumns(specification, classes))
        case .respecified(let id, let specification):
            self = .respecified(id, try TransferColumns(specification, classes))
        case .checkpointed(let id, let resume): self = .event(id, .resume, try resume.map(JSONText.encode))
        case .retried(let id, let retry): self = .event(id, .retry, try retry.map(JSONText.encode))
        case .suspended(let id, let isSuspended): self = .event(id, .suspended, isSuspended ? "1" : "0")
        case .held(let id, let hold): self = .event(id, .hold, try hold.map(JSONText.encode))
        case .relaunchHeld(let id, let hold): self = .event(id, .relaunchHold, try hold.map(JSONText.encode))
        case .learned(let learned): self = .learned(try JSONText.encode(learned))
        case .ended(let id, let ending): self = .ended(id, try JSONText.encode(ending.redacted))
        }
    }

    /// Whether it is sure to be possible, so that it needs no savepoint.
    var isSure: Bool { if case .submitted = self { true } else { false } }
}
