// SPDX-License-Identifier: Apache-2.0
import SQLiteStore
import ToolSupport
import TransferEngine
import TransferModel
import TransferScheduling

extension TransferHistoryEvent {
    /// Creates the record of an update for the history. Returns `nil` for an update that the history does not record.
    init?(_ update: TransferUpdate, localTime: LocalTimeRules) {
        let (kind, note): (Kind, String?)
        switch update.kind {
        case .submitted, .paused, .resumed, .waiting, .deadline, .progressed: return nil
        case .changed(let specification, isMoved: true):
            (kind, note) = (.changed, "new URL \(RedactedURL.text(of: specification.url))")
        case .changed(let specification, isMoved: false):
            let traits = specification.traits
            let urgency = traits.kind == .userInitiated ? "user-initiated" : traits.kind.rawValue
            (kind, note) = (.changed, "\(urgency), priority \(traits.priority)")
        case .started: (kind, note) = (.started, nil)
        case .restarted(let cause): (kind, note) = (.restarted, cause.sentence)
        case .stopped(let explanation, _): (kind, note) = (.paused, explanation.sentence(localTime: localTime))
        case .retrying(_, let failure, _): (kind, note) = (.retried, failure.message)
        case .finished(let completion):
            let refusal = completion.isFailure ? "the server answered \(completion.status)" : nil
            (kind, note) = (completion.isFailure ? .failed : .finished, refusal)
        case .failed(let failure): (kind, note) = (.failed, failure.message)
        case .cancelled: (kind, note) = (.cancelled, nil)
        }
        self.init(id: update.id, time: update.time.wall, kind: kind, message: note)
    }
}
