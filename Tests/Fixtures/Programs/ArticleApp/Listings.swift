// SPDX-License-Identifier: Apache-2.0

// The five steps of Apple's article on downloading files in the background, in their order and with their names. Only
// the import lines were changed. `AppDelegate.swift` has what the article leaves out.
import BackgroundTransfer
import Foundation

class Downloader: NSObject {
    // Create a session.
    private lazy var urlSession: URLSession = {
        let config = URLSessionConfiguration.background(withIdentifier: "MySession")
        config.isDiscretionary = true
        config.sessionSendsLaunchEvents = true
        return URLSession(configuration: config, delegate: self, delegateQueue: nil)
    }()

    // Create and schedule a task.
    func download(_ url: URL) {
        let backgroundTask = urlSession.downloadTask(with: url)
        backgroundTask.earliestBeginDate = Date().addingTimeInterval(60 * 60)
        backgroundTask.countOfBytesClientExpectsToSend = 200
        backgroundTask.countOfBytesClientExpectsToReceive = 500 * 1024
        backgroundTask.resume()
    }

    // Recreate the session, as the text says.
    func reconnect() { _ = urlSession }
}

// Handle the launch.
extension AppDelegate {
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        backgroundCompletionHandler = completionHandler
    }
}

extension Downloader: URLSessionDownloadDelegate {
    // Call the completion handler.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            guard let appDelegate = UIApplication.shared.delegate as? AppDelegate,
                let backgroundCompletionHandler =
                    appDelegate.backgroundCompletionHandler
            else {
                return
            }
            backgroundCompletionHandler()
        }
    }

    // Save the file.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard let httpResponse = downloadTask.response as? HTTPURLResponse,
            (200...299).contains(httpResponse.statusCode)
        else {
            print("server error")
            return
        }
        do {
            let documentsURL = try FileManager.default.url(
                for: .documentDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: false)
            let savedURL = documentsURL.appendingPathComponent(
                location.lastPathComponent)
            try FileManager.default.moveItem(at: location, to: savedURL)
        } catch {
            print("file error: \(error)")
        }
    }
}
