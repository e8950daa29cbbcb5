// SPDX-License-Identifier: Apache-2.0

// A program in the shape that tutorials about background sessions teach, written for Apple's API.
//
// Only the import lines were changed. The test is that the program compiles.
import BackgroundTransfer
import Foundation

class DownloadController: NSObject {
    private lazy var urlSession: URLSession = {
        let config = URLSessionConfiguration.background(withIdentifier: "MySession")
        config.isDiscretionary = true
        config.sessionSendsLaunchEvents = true
        config.waitsForConnectivity = true
        config.allowsExpensiveNetworkAccess = false
        config.timeoutIntervalForResource = 24 * 60 * 60
        config.httpAdditionalHeaders = ["Accept": "application/octet-stream"]
        return URLSession(configuration: config, delegate: self, delegateQueue: nil)
    }()

    var backgroundCompletionHandler: (() -> Void)?
    var delay: TimeInterval = 60 * 60
    private var observation: [Int: Double] = [:]

    func download(_ urls: [URL]) {
        for url in urls {
            let backgroundTask = urlSession.downloadTask(with: url)
            backgroundTask.earliestBeginDate = Date().addingTimeInterval(delay)
            backgroundTask.countOfBytesClientExpectsToSend = 200
            backgroundTask.countOfBytesClientExpectsToReceive = 500 * 1024
            backgroundTask.taskDescription = url.lastPathComponent
            backgroundTask.priority = URLSessionTask.lowPriority
            backgroundTask.resume()
        }
    }

    func reconnect() { _ = urlSession }

    func upload(_ file: URL, to url: URL) {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        let task = urlSession.uploadTask(with: request, fromFile: file)
        task.resume()
    }

    func showProgress() {
        urlSession.getTasksWithCompletionHandler { _, uploads, downloads in
            let tasks: [URLSessionTask] = uploads + downloads
            let received = tasks.reduce(0) { $0 + $1.countOfBytesReceived }
            let expected = tasks.reduce(0) { $0 + max(0, $1.countOfBytesExpectedToReceive) }
            print("\(received) of \(expected) bytes, \(tasks.map(\.progress.fractionCompleted))")
        }
        urlSession.getAllTasks { tasks in
            for task in tasks where task.state == .suspended { task.resume() }
        }
    }

    func stop(_ task: URLSessionDownloadTask) {
        task.cancel { data in
            guard let data = data else { return }
            self.urlSession.downloadTask(withResumeData: data).resume()
        }
    }
}

extension DownloadController: URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        observation[downloadTask.taskIdentifier] = Double(totalBytesWritten) / Double(totalBytesExpectedToWrite)
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        guard let httpResponse = downloadTask.response as? HTTPURLResponse,
            (200...299).contains(httpResponse.statusCode)
        else {
            print("server error")
            return
        }
        do {
            let documentsURL = try FileManager.default.url(
                for: .documentDirectory, in: .userDomainMask, appropriateFor: nil, create: false)
            let savedURL = documentsURL.appendingPathComponent(location.lastPathComponent)
            try FileManager.default.moveItem(at: location, to: savedURL)
        } catch {
            print("file error: \(error)")
        }
    }
}

extension DownloadController: URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let error = error as? URLError, error.code == .cancelled { return }
        print(error?.localizedDescription ?? "done: \(task.originalRequest?.url?.absoluteString ?? "")")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        var newRequest = request
        newRequest.setValue("fresh", forHTTPHeaderField: "Authorization")
        completionHandler(.useNewRequest, newRequest)
    }
}

extension DownloadController: URLSessionDelegate {
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async { self.backgroundCompletionHandler?() }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) { print("invalid") }
}
