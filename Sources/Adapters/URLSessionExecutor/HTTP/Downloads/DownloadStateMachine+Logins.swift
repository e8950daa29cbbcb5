// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// What follows where a server or a proxy wants to know who asks.
extension DownloadStateMachine {
    /// 401: asks again with an answer, or lets the app know; nil where it is final.
    mutating func challenged(_ question: Question, _ head: ResponseHead) -> [Directive]? {
        switch authenticator.refused(head, url: question.url) {
        case .askAgain: discard(head, then: .ask(question))
        case .tell(let challenges): discard(head, then: .end(.challenged(challenges)))
        case .giveUp: nil
        }
    }

    /// 401 for a piece: the same, for this piece alone.
    mutating func challenged(_ question: Question, _ head: ResponseHead, _ id: Int) -> SegmentedBody.Verdict? {
        // Another piece has had a newer nonce since this one was asked: that one may be good.
        if let nonce = segmentNonces[id], let newer = authenticator.nonce(for: question.url), nonce != newer {
            return .elsewhere(question)
        }
        switch authenticator.refused(head, url: question.url) {
        case .askAgain: return .elsewhere(question)
        case .tell(let challenges): return .refused(.end(.challenged(challenges)))
        case .giveUp: return nil
        }
    }

    /// 407 of the proxy in between: nothing that is said to the server helps.
    mutating func refusedByProxy(_ proxy: String, _ head: ResponseHead) -> [Directive] {
        discard(head, then: .end(.failed(.proxyRefused(proxy), keepsBytes: true)))
    }
}

extension TransferFailure {
    /// The proxy answered 407; `proxy` is its host and port.
    static func proxyRefused(_ proxy: String) -> TransferFailure {
        let message =
            "The proxy \(proxy) wants a user and password, or others than it got (407): give them in the proxy's URL, "
            + "http://user:password@\(proxy)."
        return TransferFailure(cause: .proxyAuthentication, message: message)
    }
}
