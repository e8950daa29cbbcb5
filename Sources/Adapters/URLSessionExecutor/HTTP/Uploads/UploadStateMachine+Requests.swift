// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The requests of an upload.
extension UploadStateMachine {
    mutating func ask(_ question: Question) -> [Directive] {
        state = .asking(question)
        let start = question.kind == .append ? place?.confirmed ?? 0 : 0
        // A single plain request is not divided, because no answer tells where to continue.
        let most = plan.isResumable ? limits.maximumAppend ?? .max : .max
        sending = start..<start + min(most, plan.source.size - start)
        var head = plan.head(of: question, sending: sending, at: place?.resource.kind)
        head.fields = authenticator.adding(to: head.fields, url: question.url, method: head.method)
        return [.send(head)]
    }
}
