// SPDX-License-Identifier: Apache-2.0

// A delegate singleton in the shape that tutorials teach: a dictionary of completion handlers, and sessions by
// identifier with a shared container. Only the import lines were changed, and calls of `say` were added for the test.
import BackgroundTransfer
import Foundation

class BackgroundTransfers: NSObject, URLSessionDownloadDelegate {
    static let shared = BackgroundTransfers()
    static let group = "group.org.example.listings"

    var completionHandlers: [String: () -> Void] = [:]
    private var sessions: [String: URLSession] = [:]

    func session(withIdentifier identifier: String) -> URLSession {
        if let session = sessions[identifier] { return session }
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.sharedContainerIdentifier = Self.group
        configuration.sessionSendsLaunchEvents = true
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
        sessions[identifier] = session
        return session
    }

    func download(_ url: URL, inSessionWithIdentifier identifier: String) {
        session(withIdentifier: identifier).downloadTask(with: url).resume()
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        guard
            let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: Self.group),
            let name = downloadTask.originalRequest?.url?.lastPathComponent
        else { return }
        let destination = container.appendingPathComponent(name)
        try? FileManager.default.removeItem(at: destination)
        do {
            try FileManager.default.copyItem(at: location, to: destination)
        } catch {
            print(error.localizedDescription)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        say("completed \(task.originalRequest!.url!.lastPathComponent) \(error?.localizedDescription ?? "well")")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        guard let identifier = session.configuration.identifier else { return }
        DispatchQueue.main.async {
            say("finished \(identifier)")
            self.completionHandlers.removeValue(forKey: identifier)?()
        }
    }
}
