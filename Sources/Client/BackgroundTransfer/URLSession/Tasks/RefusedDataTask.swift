// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Synchronization
internal import TransferModel

/// A data task of a background session. The task fails when it is resumed, because data in memory is lost when the
/// program ends.
final class RefusedDataTask: FoundationNetworking.URLSessionDataTask, @unchecked Sendable {
    private let number: Int
    private let request: URLRequest
    private let session: URLSession
    /// The error with which the task has ended. `nil` before that.
    private let ending = Mutex<URLError?>(nil)

    init(_ number: Int, _ request: URLRequest, in session: URLSession) {
        self.number = number
        self.request = request
        self.session = session
        super.init()
    }

    override var taskIdentifier: Int { number }
    override var originalRequest: URLRequest? { request }
    override var currentRequest: URLRequest? {
        get { request }
        set { _ = newValue }  // The superclass's setter is internal.
    }
    override var response: URLResponse? {
        get { nil }
        set { _ = newValue }
    }
    override var state: URLSessionTask.State {
        get { ending.withLock { $0 } == nil ? .suspended : .completed }
        set { _ = newValue }
    }
    override var error: (any Error)? { ending.withLock { $0 } }

    /// The error of the task. On Apple's platforms, a data task ends with this error when its program is suspended.
    private var failure: URLError {
        let identifier = session.background?.configuration.identifier ?? ""
        return FailureDescription(
            code: URLError.Code.backgroundSessionWasDisconnected.rawValue,
            message: UnsupportedTask.inMemory.error(in: identifier).message
        ).error(url: request.url?.absoluteString ?? "")
    }

    override func resume() { end(with: failure) }
    override func suspend() {}
    override func cancel() { end(with: URLError(.cancelled)) }

    private func end(with error: URLError) {
        let isFirst = ending.withLock { ending in
            guard ending == nil else { return false }
            ending = error
            return true
        }
        guard isFirst else { return }
        // A task that the program cancels needs no warning.
        if error.code != .cancelled { Log.warning("\(error.localizedDescription)") }
        session.delegateQueue.addOperation { [self] in
            guard let delegate = session.delegate as? any URLSessionTaskDelegate else { return }
            delegate.urlSession(session, task: self, didCompleteWithError: error)
        }
    }
}
