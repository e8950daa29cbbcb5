// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation

/// The downloads of one folder: a background session and its delegate.
final class Downloads: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    private let folder: URL
    // Used only on the session's delegate queue, which is serial. `lock` guards the values that other threads set.
    private let lock = NSLock()
    private var completion: (@Sendable () -> Void)?
    private var hasFinishedEvents = false

    /// The identifier of the session. Each folder has its own session, and the identifier is the same at every start.
    private var identifier: String { "downloads \(folder.path)" }
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.isDiscretionary = true
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    init(into folder: URL) { self.folder = folder }

    /// Opens the session again. From now on, the delegate receives the session's events.
    func join() { _ = session }

    func add(_ urls: [URL]) {
        for url in urls {
            let task = session.downloadTask(with: url)
            task.taskDescription = url.lastPathComponent
            task.resume()
        }
    }

    /// Calls `done` after every event that had waited for this program has been reported.
    func whenEventsFinish(_ done: @escaping @Sendable () -> Void) {
        let isFinished = lock.withLock { () -> Bool in
            completion = done
            return hasFinishedEvents
        }
        if isFinished { done() }
    }

    /// Prints the overall progress once per second until no task is left.
    ///
    /// Uses `BackgroundSession` rather than `URLSession`. If another process is using the session,
    /// `BackgroundSession` throws an error that the program can show. `URLSession` treats this as a programming
    /// mistake and ends the program.
    func showProgress() async throws {
        var configuration = BackgroundSessionConfiguration(identifier: identifier)
        configuration.isDiscretionary = true
        let session = try await BackgroundSession.open(configuration)
        while case let tasks = try await session.unfinishedTasks(), !tasks.isEmpty {
            let received = tasks.reduce(0) { $0 + $1.countOfBytesReceived }
            let expected = tasks.reduce(0) { $0 + max(0, $1.countOfBytesExpected) }
            print("\(tasks.count) left, \(received) of \(expected) bytes")
            try await Task.sleep(for: .seconds(1))
        }
        print("all downloads have ended; the daemon starts the program to move the files")
    }

    // MARK: URLSessionDownloadDelegate

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        // A response such as 404 is not an error. Its body is the file.
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200...299).contains(status) else {
            print("\(downloadTask.taskDescription ?? ""): the server responded with \(status)")
            return
        }
        // The file is removed after this method returns.
        let destination = folder.appendingPathComponent(
            downloadTask.taskDescription ?? "\(downloadTask.taskIdentifier)")
        do {
            try? FileManager.default.removeItem(at: destination)
            try FileManager.default.moveItem(at: location, to: destination)
            print("\(destination.lastPathComponent): done")
        } catch {
            print("\(destination.lastPathComponent): \(error.localizedDescription)")
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { print("\(task.taskDescription ?? ""): \(error.localizedDescription)") }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let done = lock.withLock { () -> (@Sendable () -> Void)? in
            hasFinishedEvents = true
            return completion
        }
        done?()
    }
}
