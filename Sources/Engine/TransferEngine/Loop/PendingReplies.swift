// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// The replies to commands about transfers. Sends each reply immediately, or after the canceled transfers have ended.
final class PendingReplies {
    typealias Reply = CheckedContinuation<[ActionOutcome], any Error>

    /// The reply to a cancellation, sent after its transfers have ended.
    private struct PendingReply {
        var ids: Set<TransferID>
        var outcomes: [ActionOutcome]
        var reply: Reply
    }

    private let writer: StoreWriter
    private var pending: [PendingReply] = []

    /// Creates an empty list. If `writer` has an error, the replies throw the error.
    init(writer: StoreWriter) { self.writer = writer }

    /// The number of waiting callers.
    var count: Int { pending.count }

    /// Sends a reply after the transfers that are being stopped have ended.
    func send(_ reply: Reply, _ outcomes: [ActionOutcome], after stopping: [TransferID]) {
        if stopping.isEmpty { return send(reply, outcomes) }
        pending.append(PendingReply(ids: Set(stopping), outcomes: outcomes, reply: reply))
    }

    /// Sends the replies that waited for the end of a transfer. The end is saved already, unless the store has an
    /// error.
    func ended(_ id: TransferID) {
        guard !pending.isEmpty else { return }
        for index in pending.indices { pending[index].ids.remove(id) }
        for pending in pending where pending.ids.isEmpty {
            send(pending.reply, pending.outcomes.map { $0 == .stopping ? .done : $0 })
        }
        pending.removeAll(where: \.ids.isEmpty)
    }

    /// Fails the callers whose transfers do not end in this run.
    func refuse() {
        for pending in pending { pending.reply.resume(throwing: EngineEndedError()) }
        pending = []
    }

    private func send(_ reply: Reply, _ outcomes: [ActionOutcome]) {
        if let storeError = writer.storeError {
            reply.resume(throwing: storeError)
        } else {
            reply.resume(returning: outcomes)
        }
    }
}
