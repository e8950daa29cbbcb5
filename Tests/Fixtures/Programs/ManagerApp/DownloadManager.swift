// SPDX-License-Identifier: Apache-2.0

// A download manager in the shape that tutorials teach: a singleton whose session is created again at each use. Only the
// import lines were changed, and calls of `say` were added for the test.
import BackgroundTransfer
import Foundation

class DownloadManager: NSObject, URLSessionDelegate, URLSessionDownloadDelegate {
    static let shared = DownloadManager()

    var backgroundCompletionHandler: (() -> Void)?
    var onProgress: ((Float) -> Void)?

    // If a session with the identifier exists, this returns that session, with its first delegate.
    var session: URLSession {
        let config = URLSessionConfiguration.background(withIdentifier: "\(Bundle.main.bundleIdentifier!).background")
        return URLSession(configuration: config, delegate: self, delegateQueue: OperationQueue())
    }

    func start(_ url: URL) {
        let task = session.downloadTask(with: url)
        task.resume()
    }

    private func calculateProgress(completionHandler: @escaping (Float) -> Void) {
        session.getTasksWithCompletionHandler { (_, _, downloads) in
            let progress = downloads.map { task -> Float in
                if task.countOfBytesExpectedToReceive > 0 {
                    return Float(task.countOfBytesReceived) / Float(task.countOfBytesExpectedToReceive)
                } else {
                    return 0
                }
            }
            completionHandler(progress.reduce(0, +) / Float(max(1, progress.count)))
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        if totalBytesExpectedToWrite > 0, let onProgress = onProgress {
            calculateProgress(completionHandler: onProgress)
        }
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
        let name = downloadTask.originalRequest!.url!.lastPathComponent
        try? FileManager.default.moveItem(at: location, to: documents.appendingPathComponent(name))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        say("completed \(task.originalRequest!.url!.lastPathComponent) \(error?.localizedDescription ?? "well")")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            say("finished \(session.configuration.identifier!)")
            self.backgroundCompletionHandler?()
            self.backgroundCompletionHandler = nil
        }
    }
}
