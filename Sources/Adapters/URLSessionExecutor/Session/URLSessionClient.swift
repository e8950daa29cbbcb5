// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import FoundationNetworking
import LinuxKernel
import Synchronization
internal import TransferModel
import URLSessionInterposer

/// An actor that receives the events of its requests.
protocol ExchangeReceiver: ConsumerActor {
    func exchange(_ exchange: Exchange, received head: ResponseHead)
    func exchange(_ exchange: Exchange, received bytes: Data)
    /// Reports the end of the exchange. This is the last call; `failure` is `nil` if the response is complete.
    func exchange(_ exchange: Exchange, endedWith failure: URLSessionError?)
}

/// An error of URLSession: its `NSURLError…` code and its text.
struct URLSessionError: Error, Hashable, Sendable {
    var code: Int
    var text: String
    static let cancelled = URLSessionError(code: -999, text: "cancelled")
}

/// An HTTP request and its response.
final class Exchange: Sendable {
    struct State: Sendable {
        var task: URLSessionDataTask?
        var isCancelled = false
        var isEnded = false
        var hasHead = false
        /// The number of the direct way of the bodies, or 0 if there is none.
        var directNumber: UInt64 = 0
        var wasChallenged = false
    }
    let receiver: any ExchangeReceiver
    /// The body of the request, or `nil` if the request has no body.
    let body: UploadBody?
    /// The rate limiter of the request, or `nil` if the rate is not limited.
    let rateLimiter: RateLimiter?
    let state = Mutex(State())

    init(receiver: any ExchangeReceiver, body: UploadBody? = nil, rateLimiter: RateLimiter? = nil) {
        self.receiver = receiver
        self.body = body
        self.rateLimiter = rateLimiter
    }

    /// Gives bytes of the response's body to the receiver, on its executor.
    func received(_ bytes: Data) {
        guard !state.withLock({ $0.isEnded }) else { return }
        receiver.assumeIsolated { $0.exchange(self, received: bytes) }
    }
}

/// The client of the executor's only URLSession, which lives as long as the executor.
///
/// The client uses only data tasks. All calls to the session or a task are made on a single control queue, never on
/// the delegate queue. Those calls wait for URLSession's own queue, which may be waiting for the delegate.
final class URLSessionClient: NSObject, URLSessionDataDelegate, Sendable {
    private let control = DispatchQueue(label: "transfer.session.control")
    private let consumer: ConsumerExecutor
    private let admission: AdmissionControl
    private let throttle: Throttle
    private let running = Mutex<[Int: Exchange]>([:])
    private let session = Mutex<URLSession?>(nil)
    private let delegateQueue: BoundedDelegateQueue

    init(consumer: ConsumerExecutor, admission: AdmissionControl, throttle: Throttle) {
        self.consumer = consumer
        self.admission = admission
        self.throttle = throttle
        delegateQueue = BoundedDelegateQueue(admission: admission, consumer: consumer)
        super.init()
    }

    /// Sends the request as soon as the limits of the rate limiter allow.
    ///
    /// Reports all events of the request to `receiver`. The last event is exactly one `endedWith`. A `body` is sent
    /// unchanged, with the length of the request's `Content-Length` field. A request that fails its `check` is not sent.
    func send(
        _ request: RequestHead, body: UploadBody? = nil, timeoutSeconds: Int, rateLimiter: RateLimiter? = nil,
        check: AddressCheck? = nil, to receiver: any ExchangeReceiver
    ) -> Exchange {
        let exchange = Exchange(receiver: receiver, body: body, rateLimiter: rateLimiter)
        guard let url = URL(string: request.url) else {
            consumer.run { self.close(exchange, URLSessionError(code: -1000, text: "invalid URL")) }
            return exchange
        }
        var urlRequest = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        // URLSession accepts whole seconds and treats a fraction below one as zero.
        urlRequest.timeoutInterval = Double(max(1, timeoutSeconds))
        urlRequest.httpShouldHandleCookies = false
        urlRequest.httpMethod = request.method
        if let content = request.content { urlRequest.httpBody = Data(content) }
        let own = TRANSFER_URLSESSION_LIMITER_FIELD.lowercased()
        for field in request.fields where field.name.lowercased() != own {
            urlRequest.addValue(field.value, forHTTPHeaderField: field.name)
        }
        if body != nil || request.content != nil {
            // URLSession sends a stream in chunks and waits a second for the server's consent. libcurl omits a field
            // whose value is blank.
            for name in ["Transfer-Encoding", "Expect"] { urlRequest.setValue(" ", forHTTPHeaderField: name) }
        }
        var delay = DispatchTimeInterval.nanoseconds(0)
        if let rateLimiter {
            if rateLimiter.number != 0 {
                // Names the rate limiter and the direct way to the interposer, which removes the field.
                let number = DirectBodies.open(DirectBodies.Route(exchange: exchange, delegateQueue: delegateQueue))
                exchange.state.withLock { $0.directNumber = number }
                urlRequest.addValue(
                    "\(rateLimiter.number) \(number)", forHTTPHeaderField: TRANSFER_URLSESSION_LIMITER_FIELD)
            }
            let now = MonotonicTime.now()
            delay = .nanoseconds(Int(clamping: max(now, throttle.timeOfNextRequest(rateLimiter)) - now))
        }
        begin(exchange, urlRequest, after: delay, check)
        return exchange
    }

    /// Begins a request after a delay, if it passes its check.
    private func begin(
        _ exchange: Exchange, _ request: URLRequest, after delay: DispatchTimeInterval, _ check: AddressCheck?
    ) {
        if let check {
            // The resolver blocks. A request that is canceled meanwhile is not sent.
            DispatchQueue.global().async {
                guard !check.passes() else { return self.begin(exchange, request, after: delay, nil) }
                let error = URLSessionError(code: AddressCheck.errorCode, text: "")
                self.consumer.run { self.close(exchange, error) }
            }
        } else if delay == .nanoseconds(0) {
            control.async { self.begin(exchange, request) }
        } else {
            control.asyncAfter(deadline: .now() + delay) { self.begin(exchange, request) }
        }
    }

    /// Cancels the request. Its `endedWith` follows; after 10 seconds, the client sends it if URLSession does not.
    func cancel(_ exchange: Exchange) {
        let isFirst = exchange.state.withLock { state in
            defer { state.isCancelled = true }
            return !state.isCancelled && !state.isEnded
        }
        guard isFirst else { return }
        admission.beginBypass()
        control.async {
            if let task = exchange.state.withLock({ $0.task }) {
                task.cancel()
            } else {
                // A delayed request has no task yet, and none is started.
                self.consumer.run { self.close(exchange, .cancelled) }
            }
            self.admission.endBypass()
        }
        consumer.run(afterSeconds: 10) { self.close(exchange, .cancelled) }
    }

    /// Calls `reply` once the control queue, URLSession's own queue, and the delegate queue have all made progress.
    func probe(_ reply: @escaping @Sendable () -> Void) {
        control.async {
            guard let session = self.session.withLock({ $0 }) else { return reply() }
            session.getAllTasks { _ in reply() }
        }
    }

    /// Invalidates the session. No exchange may be running.
    func invalidate() async {
        await withCheckedContinuation { continuation in
            control.async {
                self.session.withLock { session in
                    session?.finishTasksAndInvalidate()
                    session = nil
                }
                continuation.resume()
            }
        }
    }

    private func begin(_ exchange: Exchange, _ request: URLRequest) {
        if exchange.state.withLock({ $0.isCancelled }) {
            consumer.run { self.close(exchange, .cancelled) }
            return
        }
        var request = request
        // The stream is created here because a stream must stay on a single queue.
        if let body = exchange.body { request.httpBodyStream = body.makeStream() }
        let task = openSession().dataTask(with: request)
        running.withLock { $0[task.taskIdentifier] = exchange }
        exchange.state.withLock { $0.task = task }
        task.resume()
    }

    private func openSession() -> URLSession {
        session.withLock { session in
            if let session { return session }
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.httpCookieStorage = nil
            configuration.urlCredentialStorage = nil
            configuration.httpCookieAcceptPolicy = .never
            configuration.httpShouldSetCookies = false
            configuration.httpMaximumConnectionsPerHost = 1000
            let made = URLSession(configuration: configuration, delegate: self, delegateQueue: delegateQueue)
            session = made
            return made
        }
    }

    /// Reports the end of the exchange, once.
    private func close(_ exchange: Exchange, _ failure: URLSessionError?) {
        let (isFirst, task, directNumber) = exchange.state.withLock { state in
            defer {
                state.isEnded = true
                state.task = nil
            }
            return (!state.isEnded, state.task, state.directNumber)
        }
        DirectBodies.close(directNumber)
        if let task { _ = running.withLock { $0.removeValue(forKey: task.taskIdentifier) } }
        if isFirst { exchange.receiver.assumeIsolated { $0.exchange(exchange, endedWith: failure) } }
    }

    private func open(_ task: URLSessionTask) -> Exchange? {
        guard let exchange = running.withLock({ $0[task.taskIdentifier] }) else { return nil }
        return exchange.state.withLock { $0.isEnded } ? nil : exchange
    }

    private func reportHead(_ exchange: Exchange, _ response: URLResponse?) {
        guard let response = response as? HTTPURLResponse else { return }
        if response.statusCode >= 200 { exchange.state.withLock { $0.hasHead = true } }
        let fields = response.allHeaderFields.compactMap { name, value -> HeaderField? in
            guard let name = name as? String, let value = value as? String else { return nil }
            // The interposer renames the field so that URLSession does not follow the redirect.
            let isLocation = name.lowercased() == "x-unfollowed-location"
            return HeaderField(name: isLocation ? "Location" : name, value: value)
        }
        let head = ResponseHead(status: response.statusCode, fields: fields)
        exchange.receiver.assumeIsolated { $0.exchange(exchange, received: head) }
    }

    // MARK: URLSession's callbacks, on the consumer's queue

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let exchange = open(dataTask) { reportHead(exchange, response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        running.withLock({ $0[dataTask.taskIdentifier] })?.received(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = running.withLock({ $0[task.taskIdentifier] }) else { return }
        let state = exchange.state.withLock { $0 }
        // A redirect that is not followed can end before its head is reported.
        if error == nil, !state.hasHead, !state.isEnded { reportHead(exchange, task.response) }
        guard let error, !(state.wasChallenged && !state.isCancelled) else { return close(exchange, nil) }
        let wrapped = error as NSError
        close(exchange, URLSessionError(code: wrapped.code, text: wrapped.localizedDescription))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(open(task)?.body?.makeStream())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        open(task)?.state.withLock { $0.wasChallenged = true }
        // The completion handler cancels the task, which must not happen on this queue.
        control.async { completionHandler(.cancelAuthenticationChallenge, nil) }
    }
}
