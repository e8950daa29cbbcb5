// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The requests of an upload.
extension UploadStateMachine {
    mutating func send(_ attemptRequest: Request) -> [Directive] {
        state = .awaitingHead(attemptRequest)
        let start = attemptRequest.kind == .append ? uploadLocation?.confirmed ?? 0 : 0
        // A single plain request is not divided, because no response states where to continue.
        let most = plan.isResumable ? limits.maximumAppend ?? .max : .max
        sending = start..<start + min(most, plan.source.size - start)
        var head = plan.head(of: attemptRequest, sending: sending, at: uploadLocation?.resource.kind)
        head.fields = authenticator.adding(to: head.fields, url: attemptRequest.url, method: head.method)
        return [.send(head)]
    }
}
