// SPDX-License-Identifier: Apache-2.0
package import Foundation
import Synchronization

/// An actor that receives the events of its requests.
package protocol ExchangeReceiver: ConsumerActor {
    func exchange(_ exchange: Exchange, received head: ResponseHead)
    func exchange(_ exchange: Exchange, received bytes: Data)
    /// Reports the end of the exchange. This is the last call; `failure` is `nil` if the response is complete.
    func exchange(_ exchange: Exchange, endedWith failure: TransportError?)
}

/// An error of a transport: a code of `URLError`, and the text of libcurl.
package struct TransportError: Error, Hashable, Sendable {
    package var code: Int
    package var text: String

    package init(code: Int, text: String) {
        self.code = code
        self.text = text
    }

    package static let cancelled = TransportError(code: -999, text: "cancelled")
}

/// An HTTP request and its response.
///
/// A transport reports what it receives on the consumer, in order.
package final class Exchange: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var isEnded = false
    }
    private let receiver: any ExchangeReceiver
    package let request: TransportRequest
    /// The body of the request, or `nil` if the request has no body.
    package let body: UploadBody?
    /// The rate limiter of the request, or `nil` if the rate is not limited.
    package let rateLimiter: RateLimiter?
    private let state = Mutex(State())

    package init(
        _ request: TransportRequest, body: UploadBody? = nil, rateLimiter: RateLimiter? = nil,
        for receiver: any ExchangeReceiver
    ) {
        self.request = request
        self.receiver = receiver
        self.body = body
        self.rateLimiter = rateLimiter
    }

    /// A Boolean value that indicates whether the exchange has ended.
    package var isEnded: Bool { state.withLock { $0.isEnded } }

    /// A Boolean value that indicates whether the exchange was canceled.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Marks the exchange as canceled. Returns whether its request must be ended.
    func markCancelled() -> Bool {
        state.withLock { state in
            defer { state.isCancelled = true }
            return !state.isCancelled && !state.isEnded
        }
    }

    // MARK: On the consumer

    package func received(_ head: ResponseHead) {
        if !isEnded { receiver.assumeIsolated { $0.exchange(self, received: head) } }
    }

    package func received(_ bytes: Data) {
        if !isEnded { receiver.assumeIsolated { $0.exchange(self, received: bytes) } }
    }

    /// Reports the end of the exchange, once.
    package func end(_ failure: TransportError?) {
        let isFirst = state.withLock { state in
            defer { state.isEnded = true }
            return !state.isEnded
        }
        if isFirst { receiver.assumeIsolated { $0.exchange(self, endedWith: failure) } }
    }
}
