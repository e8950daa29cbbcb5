// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// Answers commands about transfers: at once, or when the transfers that they cancelled have ended.
final class AwaitedEnds {
    typealias Reply = CheckedContinuation<[ActionOutcome], any Error>

    /// A cancellation that is answered once its transfers have ended.
    private struct Awaited {
        var ids: Set<TransferID>
        var outcomes: [ActionOutcome]
        var reply: Reply
    }

    private let writer: StoreWriter
    private var awaited: [Awaited] = []

    /// Nobody waits; answers tell the trouble of `writer`.
    init(writer: StoreWriter) { self.writer = writer }

    /// The number of those who wait.
    var count: Int { awaited.count }

    /// Answers a command when the transfers that are being stopped have ended.
    func answer(_ reply: Reply, _ outcomes: [ActionOutcome], after stopping: [TransferID]) {
        if stopping.isEmpty { return answer(reply, outcomes) }
        awaited.append(Awaited(ids: Set(stopping), outcomes: outcomes, reply: reply))
    }

    /// Answers those who waited for the end of a transfer, which has been saved as far as it can be.
    func ended(_ id: TransferID) {
        guard !awaited.isEmpty else { return }
        for index in awaited.indices { awaited[index].ids.remove(id) }
        for awaited in awaited where awaited.ids.isEmpty {
            answer(awaited.reply, awaited.outcomes.map { $0 == .stopping ? .done : $0 })
        }
        awaited.removeAll(where: \.ids.isEmpty)
    }

    /// Answers those who waited for ends that will not come in this run.
    func refuse() {
        for awaited in awaited { awaited.reply.resume(throwing: EngineEndedError()) }
        awaited = []
    }

    private func answer(_ reply: Reply, _ outcomes: [ActionOutcome]) {
        if let trouble = writer.trouble { reply.resume(throwing: trouble) } else { reply.resume(returning: outcomes) }
    }
}
