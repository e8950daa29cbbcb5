// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TransferEngine
internal import TransferModel

/// A request for the size of a file by the method HEAD.
///
/// The probe is best effort: without a clear answer, the size stays unknown.
actor SizeProbe: ExchangeReceiver {
    nonisolated var consumer: ConsumerExecutor { environment.consumer }
    nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.asUnownedSerialExecutor() }

    private let environment: ExecutorEnvironment
    private let plan: RequestPlan
    private let timeoutSeconds: Int
    private var onEnd: (@Sendable (Int64?) -> Void)?
    private var request: AttemptRequest<SizeRequest>
    private var exchange: Exchange?
    private var head: ResponseHead?

    private enum SizeRequest: Hashable, Sendable { case size }

    /// - Parameter onEnd: A closure that receives the size in bytes, or `nil` if the size stays unknown.
    init(
        _ specification: TransferSpecification, timeoutSeconds: Int, environment: ExecutorEnvironment,
        onEnd: @escaping @Sendable (Int64?) -> Void
    ) {
        self.environment = environment
        self.timeoutSeconds = timeoutSeconds
        self.onEnd = onEnd
        plan = RequestPlan(specification, environment)
        request = plan.attemptRequest(.size)
    }

    func begin() {
        guard plan.unsupportedURL == nil else { return end(nil) }
        send()
        consumer.run(afterSeconds: timeoutSeconds) { [weak self] in
            self?.assumeIsolated { probe in
                if let exchange = probe.exchange { probe.environment.client.cancel(exchange) }
                probe.end(nil)
            }
        }
    }

    func exchange(_ exchange: Exchange, received head: ResponseHead) {
        if exchange === self.exchange, !(100..<200).contains(head.status) { self.head = head }
    }

    /// A response to HEAD has no body. A server that sends one anyway is cut off.
    func exchange(_ exchange: Exchange, received bytes: Data) {
        if exchange === self.exchange { environment.client.cancel(exchange) }
    }

    func exchange(_ exchange: Exchange, endedWith error: URLSessionError?) {
        guard exchange === self.exchange else { return }
        self.exchange = nil
        guard let head, onEnd != nil else { return end(nil) }
        guard RedirectRule.isRedirect(head) else {
            return end(head.status == 200 && !head.isEncoded ? head.contentLength : nil)
        }
        let decision = plan.redirects.next(
            location: head.value("Location") ?? "", from: request.url, fields: request.fields, visited: request.visited)
        guard case .follow(let url, let fields) = decision else { return end(nil) }
        (request.url, request.fields) = (url, fields)
        request.visited.append(url)
        send()
    }

    private func send() {
        head = nil
        var next = RequestHead(url: request.url, fields: request.fields)
        next.method = "HEAD"
        exchange = environment.client.send(
            next, timeoutSeconds: timeoutSeconds, check: environment.addressCheck(of: next.url, plan), to: self)
    }

    private func end(_ size: Int64?) {
        onEnd?(size)
        onEnd = nil
    }
}
