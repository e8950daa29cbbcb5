// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation

// Code in the style of tutorials and articles. The code only has to compile.

/// A singleton download manager with a computed session property and a dictionary of handlers.
class Downloads: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    static let shared = Downloads()

    var handlers: [String: () -> Void] = [:]
    private var observations: [NSKeyValueObservation] = []
    private let total = Progress(totalUnitCount: 100)

    var session: URLSession {
        let configuration = URLSessionConfiguration.background(
            withIdentifier: "\(Bundle.main.bundleIdentifier ?? "").background")
        configuration.sharedContainerIdentifier = "group.example"
        return URLSession(configuration: configuration, delegate: self, delegateQueue: OperationQueue.main)
    }

    func start(_ url: URL) async {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data("{}".utf8)
        request.allowsExpensiveNetworkAccess = false
        request.allowsConstrainedNetworkAccess = false
        let task = session.downloadTask(with: request)
        total.addChild(task.progress, withPendingUnitCount: 100)
        observations.append(
            total.observe(\.fractionCompleted, options: [.initial, .new]) { progress, change in
                print(progress.fractionCompleted, change.newValue ?? 0)
            })
        observations.append(task.observe(\.state) { task, _ in print(task.state) })
        task.resume()
        let running = await session.allTasks.filter { $0.state == .running }
        let (_, uploads, downloads) = await session.tasks
        print(running.count, uploads.count, downloads.count)
    }

    func place(_ name: String) -> URL? {
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.example")?
            .appendingPathComponent(name)
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        guard let place = place(location.lastPathComponent) else { return }
        try? FileManager.default.moveItem(at: location, to: place)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        guard let error = error as NSError? else { return }
        if let data = error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data {
            session.downloadTask(withResumeData: data).resume()
        }
        let reason = (error as? URLError)?.backgroundTaskCancelledReason
        if reason == .userForceQuitApplication { print(error.localizedDescription) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.protectionSpace.authenticationMethod != NSURLAuthenticationMethodServerTrust else {
            return (.performDefaultHandling, nil)
        }
        return (.useCredential, URLCredential(user: "u", password: "p", persistence: .forSession))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) { (.continueLoading, nil) }

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {}
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {}
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) { print(metrics.taskInterval.duration) }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            let identifier = session.configuration.identifier ?? ""
            self.handlers.removeValue(forKey: identifier)?()
            guard let appDelegate = UIApplication.shared.delegate as? AppDelegate else { return }
            appDelegate.backgroundCompletionHandler?()
        }
    }
}

/// A delegate that accepts every certificate, as tutorials about servers under development teach.
final class TrustingDelegate: NSObject, URLSessionDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.useCredential, URLCredential(trust: challenge.protectionSpace.serverTrust!))
    }
}

/// An observer of the program's foreground state.
final class Activity {
    private var identifier = UIBackgroundTaskIdentifier.invalid

    init() {
        _ = NotificationCenter.default.addObserver(
            forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main
        ) { _ in print(UIApplication.shared.applicationState == .background) }
    }

    func finish() {
        identifier = UIApplication.shared.beginBackgroundTask(withName: "finish") { self.end() }
        end()
    }

    private func end() {
        UIApplication.shared.endBackgroundTask(identifier)
        identifier = .invalid
    }
}
