// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Synchronization

/// A request whose response body is loaded as its reader consumes the bytes.
final class BytesLoader: NSObject, FoundationNetworking.URLSessionDataDelegate, Sendable {
    /// The number of unread bytes at which the request is suspended. Reading the bytes resumes the request.
    private static let most = 1 << 20

    private struct Content {
        var task: URLSessionDataTask?
        var head: CheckedContinuation<URLResponse, any Error>?
        var reader: CheckedContinuation<Data?, any Error>?
        var unread: [Data] = []
        var count = 0
        var isSuspended = false
        var end: Result<Void, any Error>?
    }

    private let content = Mutex(Content())

    /// Sends a request and returns the head of the response.
    func begin(_ request: URLRequest, _ configuration: FoundationNetworking.URLSessionConfiguration) async throws
        -> URLResponse
    {
        let session = FoundationNetworking.URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        let task = session.dataTask(with: request)
        // The session ends with its only task.
        session.finishTasksAndInvalidate()
        return try await start(task)
    }

    /// Starts a task whose delegate is this object, and returns the head of the response.
    func start(_ task: URLSessionDataTask) async throws -> URLResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { head in
                let end = content.withLock { content -> Result<Void, any Error>? in
                    if content.end == nil { (content.task, content.head) = (task, head) }
                    return content.end
                }
                // A canceled task may have ended before this point.
                switch end {
                case .failure(let error)?: head.resume(throwing: error)
                case .success?: head.resume(throwing: URLError(.badServerResponse))
                case nil: task.resume()
                }
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Returns the next bytes of the body, or `nil` at its end.
    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { reader in
                let result = content.withLock { content -> Result<Data?, any Error>? in
                    guard let data = content.unread.first else {
                        if case .failure(let error)? = content.end { return .failure(error) }
                        if content.end != nil { return .success(nil) }
                        content.reader = reader
                        return nil
                    }
                    content.unread.removeFirst()
                    content.count -= data.count
                    guard content.isSuspended, content.count < Self.most / 2 else { return .success(data) }
                    content.isSuspended = false
                    // Under the lock, so that this call does not overtake the suspension.
                    content.task?.resume()
                    return .success(data)
                }
                if let result { reader.resume(with: result) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the request. Its reader receives an error.
    func cancel() { content.withLock(\.task)?.cancel() }

    // MARK: The request's events

    func urlSession(
        _ session: FoundationNetworking.URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        let head = content.withLock { content in
            defer { content.head = nil }
            return content.head
        }
        head?.resume(returning: response)
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        guard !data.isEmpty else { return }
        let reader = content.withLock { content -> CheckedContinuation<Data?, any Error>? in
            if let reader = content.reader {
                content.reader = nil
                return reader
            }
            content.unread.append(data)
            content.count += data.count
            guard content.count >= Self.most, !content.isSuspended else { return nil }
            content.isSuspended = true
            dataTask.suspend()
            return nil
        }
        reader?.resume(returning: data)
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let (head, reader) = content.withLock { content in
            content.end = error.map { .failure($0) } ?? .success(())
            content.task = nil
            defer { (content.head, content.reader) = (nil, nil) }
            return (content.head, content.reader)
        }
        head?.resume(throwing: error ?? URLError(.badServerResponse))
        if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    }
}
