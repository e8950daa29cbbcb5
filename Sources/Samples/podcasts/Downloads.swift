// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation

/// The delegate of the session. It moves finished files into the library.
///
/// A delegate is called on the session's queue, and so has no `var` in Swift 6. State belongs to the main actor.
final class Downloads: NSObject, URLSessionDownloadDelegate {
    private let library: Library

    init(into library: Library) { self.library = library }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        let name = downloadTask.taskDescription ?? "\(downloadTask.taskIdentifier)"
        // A response such as 404 is not an error: its body is the file.
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200...299).contains(status) else { return print("\(name): the server responded with \(status)") }
        do {
            try library.add(location, as: name)
            print("\(name): done")
        } catch {
            print("\(name): \(error.localizedDescription)")
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { print("\(task.taskDescription ?? ""): \(error.localizedDescription)") }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async { (UIApplication.shared.delegate as? AppDelegate)?.finishEvents() }
    }
}
