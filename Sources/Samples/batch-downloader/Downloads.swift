// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation

/// The downloads of one folder: a background session, and its delegate.
final class Downloads: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    private let folder: URL
    // Only used on the session's delegate queue, which is serial; `lock` guards what other threads set.
    private let lock = NSLock()
    private var told: (@Sendable () -> Void)?
    private var isTold = false

    /// One session for each folder, the same whenever the program runs.
    private var identifier: String { "downloads \(folder.path)" }
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.isDiscretionary = true
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    init(into folder: URL) { self.folder = folder }

    /// Makes the session again: from now on the delegate hears what has happened.
    func join() { _ = session }

    func add(_ urls: [URL]) {
        for url in urls {
            let task = session.downloadTask(with: url)
            task.taskDescription = url.lastPathComponent
            task.resume()
        }
    }

    /// Calls `done` when all that waited for this program has been told.
    func whenAllIsTold(_ done: @escaping @Sendable () -> Void) {
        let isOver = lock.withLock { () -> Bool in
            told = done
            return isTold
        }
        if isOver { done() }
    }

    /// Prints one line a second over all tasks, until none is left. Without Apple's names, because a session that another
    /// process has is an error here, which a program can show, and there a mistake, which ends it.
    func showProgress() async throws {
        var configuration = BackgroundSessionConfiguration(identifier: identifier)
        configuration.isDiscretionary = true
        let session = try await BackgroundSession.open(configuration)
        while case let tasks = try await session.unfinishedTasks(), !tasks.isEmpty {
            let received = tasks.reduce(0) { $0 + $1.countOfBytesReceived }
            let expected = tasks.reduce(0) { $0 + max(0, $1.countOfBytesExpected) }
            print("\(tasks.count) to go, \(received) of \(expected) bytes")
            try await Task.sleep(for: .seconds(1))
        }
        print("all are there; the program is started to put them into their places")
    }

    // MARK: What happens

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        // An answer such as 404 is no error: its body is the file.
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200...299).contains(status) else {
            print("\(downloadTask.taskDescription ?? ""): the server answered \(status)")
            return
        }
        // The file is gone once this returns.
        let place = folder.appendingPathComponent(downloadTask.taskDescription ?? "\(downloadTask.taskIdentifier)")
        do {
            try? FileManager.default.removeItem(at: place)
            try FileManager.default.moveItem(at: location, to: place)
            print("\(place.lastPathComponent): done")
        } catch {
            print("\(place.lastPathComponent): \(error.localizedDescription)")
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { print("\(task.taskDescription ?? ""): \(error.localizedDescription)") }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let done = lock.withLock { () -> (@Sendable () -> Void)? in
            isTold = true
            return told
        }
        done?()
    }
}
