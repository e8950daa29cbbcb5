// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import FoundationNetworking
public import HTTPExecutor
import LinuxKernel
import Synchronization
import TransferFiles
import TransferModel

extension Transport {
    /// FoundationNetworking's URLSession.
    ///
    /// Does not support the settings `HTTPExecutorConfiguration.caFile` and `HTTPExecutorConfiguration.proxy`.
    public static let urlSession = Transport { (surroundings) throws(HTTPExecutorError) in
        for (name, value) in [
            ("CA file", surroundings.configuration.caFile), ("proxy", surroundings.configuration.proxy),
        ]
        where value != nil {
            throw HTTPExecutorError(
                code: .unsupportedSetting,
                message: "URLSession cannot use a \(name) of its own. Use the transport .curl of CurlTransport instead."
            )
        }
        return URLSessionClient(surroundings)
    }
}

/// The client of the executor's only URLSession, which lives as long as the executor.
///
/// The client uses only data tasks. All calls to the session or a task are made on a single control queue, never on
/// the delegate queue. Those calls wait for URLSession's own queue, which may be waiting for the delegate.
final class URLSessionClient: NSObject, URLSessionDataDelegate, TransportClient {
    /// A running request.
    private struct Running: Sendable {
        var exchange: Exchange
        var task: URLSessionDataTask
        var hasHead = false
        var wasChallenged = false
    }
    private struct State: Sendable {
        var running: [Int: Running] = [:]
        /// The identifiers of the tasks of exchanges.
        var tasks: [ObjectIdentifier: Int] = [:]
    }
    private let control = DispatchQueue(label: "transfer.session.control")
    private let consumer: ConsumerExecutor
    private let admission: AdmissionControl
    private let state = Mutex(State())
    private let session = Mutex<URLSession?>(nil)
    private let delegateQueue: BoundedDelegateQueue

    let controlsConnections = false
    let wireBytes = WireBytes()

    init(_ surroundings: TransportSurroundings) {
        consumer = surroundings.consumer
        admission = surroundings.admission
        delegateQueue = BoundedDelegateQueue(admission: admission, consumer: consumer)
        super.init()
    }

    func countWire(_ isOn: Bool, withLoopback: Bool) {}

    func send(_ exchange: Exchange) {
        let request = exchange.request
        guard let url = URL(string: request.head.url) else {
            consumer.run { self.close(exchange, TransportError(code: -1000, text: "invalid URL")) }
            return
        }
        var urlRequest = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        // URLSession accepts whole seconds and treats a fraction below one as zero.
        urlRequest.timeoutInterval = Double(max(1, request.timeoutSeconds))
        urlRequest.httpShouldHandleCookies = false
        urlRequest.httpMethod = request.head.method
        if let content = request.head.content { urlRequest.httpBody = Data(content) }
        for field in request.head.fields { urlRequest.addValue(field.value, forHTTPHeaderField: field.name) }
        if exchange.body != nil || request.head.content != nil {
            // URLSession sends a stream in chunks and waits a second for the server's consent. libcurl omits a field
            // whose value is blank.
            for name in ["Transfer-Encoding", "Expect"] { urlRequest.setValue(" ", forHTTPHeaderField: name) }
        }
        let now = MonotonicTime.now()
        let delay = Int(clamping: max(now, request.notBefore) - now)
        begin(exchange, urlRequest, after: .nanoseconds(delay), request.check)
    }

    /// Begins a request after a delay, if it passes its check.
    private func begin(
        _ exchange: Exchange, _ request: URLRequest, after delay: DispatchTimeInterval, _ check: AddressCheck?
    ) {
        if let check {
            // The resolver blocks. A request that is canceled meanwhile is not sent.
            DispatchQueue.global().async {
                guard !check.passes() else { return self.begin(exchange, request, after: delay, nil) }
                let error = TransportError(code: AddressCheck.errorCode, text: "")
                self.consumer.run { self.close(exchange, error) }
            }
        } else if delay == .nanoseconds(0) {
            control.async { self.begin(exchange, request) }
        } else {
            control.asyncAfter(deadline: .now() + delay) { self.begin(exchange, request) }
        }
    }

    func cancel(_ exchange: Exchange) {
        admission.beginBypass()
        control.async {
            if let task = self.task(of: exchange) {
                task.cancel()
            } else {
                // A delayed request has no task yet, and none is started.
                self.consumer.run { self.close(exchange, .cancelled) }
            }
            self.admission.endBypass()
        }
        // In case URLSession never reports the end.
        consumer.run(afterSeconds: 10) { self.close(exchange, .cancelled) }
    }

    /// Calls `reply` once the control queue, URLSession's own queue, and the delegate queue have all made progress.
    func probe(_ reply: @escaping @Sendable () -> Void) {
        control.async {
            guard let session = self.session.withLock({ $0 }) else { return reply() }
            session.getAllTasks { _ in reply() }
        }
    }

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
        if exchange.isCancelled {
            consumer.run { self.close(exchange, .cancelled) }
            return
        }
        var request = request
        // The stream is created here because a stream must stay on a single queue.
        if let body = exchange.body { request.httpBodyStream = UploadStream(body) }
        let task = openSession().dataTask(with: request)
        state.withLock { state in
            state.running[task.taskIdentifier] = Running(exchange: exchange, task: task)
            state.tasks[ObjectIdentifier(exchange)] = task.taskIdentifier
        }
        task.resume()
    }

    private func task(of exchange: Exchange) -> URLSessionDataTask? {
        state.withLock { state in state.tasks[ObjectIdentifier(exchange)].flatMap { state.running[$0]?.task } }
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
    private func close(_ exchange: Exchange, _ failure: TransportError?) {
        // Released outside of the lock.
        _ = state.withLock { state in
            state.tasks.removeValue(forKey: ObjectIdentifier(exchange)).flatMap {
                state.running.removeValue(forKey: $0)
            }
        }
        exchange.end(failure)
    }

    private func running(_ task: URLSessionTask) -> Running? { state.withLock { $0.running[task.taskIdentifier] } }

    private func reportHead(_ task: URLSessionTask, _ response: URLResponse?) {
        guard let running = running(task), let response = response as? HTTPURLResponse else { return }
        if response.statusCode >= 200 { state.withLock { $0.running[task.taskIdentifier]?.hasHead = true } }
        let fields = response.allHeaderFields.compactMap { name, value -> HeaderField? in
            guard let name = name as? String, let value = value as? String else { return nil }
            return HeaderField(name: name, value: value)
        }
        running.exchange.received(ResponseHead(status: response.statusCode, fields: fields))
    }

    // MARK: URLSession's callbacks, on the consumer's queue

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        reportHead(dataTask, response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        running(dataTask)?.exchange.received(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let ended = running(task) else { return }
        // A redirect that is not followed can end before its head is reported.
        if error == nil, !ended.hasHead { reportHead(task, task.response) }
        guard let error, !(ended.wasChallenged && !ended.exchange.isCancelled) else {
            return close(ended.exchange, nil)
        }
        let wrapped = error as NSError
        close(ended.exchange, TransportError(code: wrapped.code, text: wrapped.localizedDescription))
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
        completionHandler(running(task)?.exchange.body.map(UploadStream.init))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        state.withLock { $0.running[task.taskIdentifier]?.wasChallenged = true }
        // The completion handler cancels the task, which must not happen on this queue.
        control.async { completionHandler(.cancelAuthenticationChallenge, nil) }
    }
}

/// The stream that URLSession reads. URLSession chooses the time of each read, but can never read outside the range.
///
/// Foundation's own file stream continues if the file grows, and treats a truncated file as a short body.
final class UploadStream: InputStream {
    // Guard: URLSession uses a stream only on its own queue.
    private let body: UploadBody
    private let pass: Int
    private var status = Stream.Status.notOpen

    init(_ body: UploadBody) {
        self.body = body
        pass = body.begin()
        super.init(data: Data())
    }

    override func open() { status = .open }

    override func close() { status = .closed }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { nil }

    override var hasBytesAvailable: Bool { body.hasBytes(pass) }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        body.read(buffer, length, pass)
    }
}
