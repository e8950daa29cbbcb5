// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// Answers commands about transfers, at once or after the cancelled transfers have ended.
final class AwaitedEnds {
    typealias Reply = CheckedContinuation<[ActionOutcome], any Error>

    /// A cancellation that is answered after its transfers have ended.
    private struct Awaited {
        var ids: Set<TransferID>
        var outcomes: [ActionOutcome]
        var reply: Reply
    }

    private let writer: StoreWriter
    private var awaited: [Awaited] = []

    /// Creates an empty list. Answers report the error of `writer`.
    init(writer: StoreWriter) { self.writer = writer }

    /// The number of waiting callers.
    var count: Int { awaited.count }

    /// Answers a command after the transfers that are being stopped have ended.
    func answer(_ reply: Reply, _ outcomes: [ActionOutcome], after stopping: [TransferID]) {
        if stopping.isEmpty { return answer(reply, outcomes) }
        awaited.append(Awaited(ids: Set(stopping), outcomes: outcomes, reply: reply))
    }

    /// Answers the callers that waited for the end of a transfer. The end is saved already, unless the store has an
    /// error.
    func ended(_ id: TransferID) {
        guard !awaited.isEmpty else { return }
        for index in awaited.indices { awaited[index].ids.remove(id) }
        for awaited in awaited where awaited.ids.isEmpty {
            answer(awaited.reply, awaited.outcomes.map { $0 == .stopping ? .done : $0 })
        }
        awaited.removeAll(where: \.ids.isEmpty)
    }

    /// Fails the callers whose awaited ends will not come in this run.
    func refuse() {
        for awaited in awaited { awaited.reply.resume(throwing: EngineEndedError()) }
        awaited = []
    }

    private func answer(_ reply: Reply, _ outcomes: [ActionOutcome]) {
        if let trouble = writer.trouble { reply.resume(throwing: trouble) } else { reply.resume(returning: outcomes) }
    }
}
