// SPDX-License-Identifier: Apache-2.0
internal import SessionLogic
package import TransferEngine
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// The updates from an engine.
extension SessionHost {
    /// Handles an engine's update about a transfer. Updates must arrive in order. Transfers outside sessions are
    /// ignored.
    package func handle(_ update: TransferUpdate) async {
        let id = update.id
        switch update.kind {
        case .submitted(let transfer): if let key = transfer.key { await handle(.transferSubmitted(id, key: key)) }
        case .paused, .resumed, .waiting, .deadline, .retrying, .restarted: break
        case .changed(let specification, _):
            await handle(.dateChanged(id, specification.traits.constraints.notBefore?.date))
        case .started: await handle(.transferBegan(id))
        case .progressed(let bytes, let total, _): await handle(.transferProgressed(id, bytes: bytes, total: total))
        case .stopped(let explanation, let bytes):
            await handle(.transferStopped(id, bytes: bytes))
            guard machine.owner(of: id) != nil,
                explanation.reasons.contains(where: { $0.reason == .needsApp(.authentication) })
            else { return }
            await handle(.challenged(id, await engine.challenges(of: id)))
        case .finished(let completion): await handle(.transferEnded(id, TaskEnd(completion)))
        case .failed(let failure): await handle(.transferEnded(id, TaskEnd(failure: FailureDescription(failure))))
        case .cancelled: await handle(.transferEnded(id, TaskEnd(failure: .cancelled)))
        }
    }
}

extension TaskEnd {
    init(_ ending: TransferEnding) {
        switch ending {
        case .completed(let completion, _): self.init(completion)
        case .failed(let failure, _): self.init(failure: FailureDescription(failure))
        case .cancelled: self.init(failure: .cancelled)
        }
    }

    /// Creates the end of a task from a complete response, as reported to the app.
    fileprivate init(_ completion: TransferCompletion) {
        var headers: [String: String] = [:]
        for field in completion.response?.headers ?? [] {
            // FoundationNetworking also joins several fields with one name.
            headers[field.name] = headers[field.name].map { $0 + ", " + field.value } ?? field.value
        }
        if let type = completion.answer?.contentType, headers["Content-Type"] == nil { headers["Content-Type"] = type }
        self.init(
            response: ResponseDescription(
                url: completion.response?.url ?? "", status: completion.status, headers: headers),
            file: completion.file?.path, body: completion.answer?.body)
        fileBytes = completion.file?.bytes
    }
}
