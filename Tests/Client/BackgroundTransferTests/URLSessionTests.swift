// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferPolicy
import TransferSessions

@testable import BackgroundTransfer

/// A delegate that records its callbacks.
private final class RecordingDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    let lines = Mutex<[String]>([])
    let ended = AsyncStream.makeStream(of: Void.self)

    func write(_ line: String) { lines.withLock { $0.append(line) } }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        write("\(downloadTask.taskIdentifier) finished \(location.lastPathComponent)")
    }
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        write("\(downloadTask.taskIdentifier) wrote \(bytesWritten) \(totalBytesWritten) \(totalBytesExpectedToWrite)")
    }
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { write("\(downloadTask.taskIdentifier) resumed \(fileOffset) \(expectedTotalBytes)") }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        write("\(dataTask.taskIdentifier) answer \(String(decoding: data, as: UTF8.self))")
    }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { write("\(task.taskIdentifier) sent \(bytesSent) \(totalBytesSent) \(totalBytesExpectedToSend)") }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode
        write(
            "\(task.taskIdentifier) completed \(status.map { "\($0)" } ?? "") \((error as? URLError)?.code.rawValue ?? 0)"
        )
    }
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { write("all events") }
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        write("invalid")
        ended.continuation.finish()
    }
}

// The tests run one at a time, because the session channel is global to the process.
@Suite("URLSession", .serialized, .timeLimit(.minutes(5)))
struct URLSessionTests {
    let channel = FakeChannel()
    private let diary = RecordingDelegate()

    init() { SessionChannels.use(channel) }

    /// Creates a session for the calling test alone. A session lives in the process until it is invalidated.
    func session(_ identifier: String = #function) -> URLSession {
        URLSession(configuration: .background(withIdentifier: identifier), delegate: diary, delegateQueue: nil)
    }

    private func end(_ session: URLSession) async {
        session.finishTasksAndInvalidate()
        for await _ in diary.ended.stream {}
    }

    @Test("S3: an identifier has one session with its first delegate, and another one after its end")
    func one() async {
        let first = session("s")
        let second = URLSession(
            configuration: .background(withIdentifier: "s"), delegate: RecordingDelegate(), delegateQueue: nil)
        #expect(first === second)
        #expect(second.delegate === diary)
        await end(first)
        // The delegate receives its last callback before the session is forgotten.
        while first.delegate != nil, !Task.isCancelled { await Task.yield() }
        SessionChannels.use(FakeChannel())
        let third = session("s")
        #expect(third !== first)
        #expect(diary.lines.withLock { $0 } == ["invalid"])
        third.finishTasksAndInvalidate()
    }

    @Test("a configuration stores the settings that FoundationNetworking lacks, and a session keeps them")
    func configuration() async {
        let configuration = URLSessionConfiguration.background(withIdentifier: "c")
        #expect(configuration.sessionSendsLaunchEvents)
        #expect(configuration.waitsForConnectivity)
        configuration.sessionSendsLaunchEvents = false
        configuration.allowsExpensiveNetworkAccess = false
        configuration.allowsConstrainedNetworkAccess = false
        configuration.sharedContainerIdentifier = "group"
        configuration.answersBearerChallenges = true
        configuration.isDiscretionary = true
        configuration.timeoutIntervalForResource = 10
        configuration.httpAdditionalHeaders = ["A": "b"]
        let session = URLSession(configuration: configuration, delegate: diary, delegateQueue: nil)
        let kept = session.configuration
        #expect(kept !== configuration)
        #expect(kept.identifier == "c")
        #expect(!kept.sessionSendsLaunchEvents)
        #expect(!kept.allowsExpensiveNetworkAccess)
        #expect(!kept.allowsConstrainedNetworkAccess)
        #expect(kept.sharedContainerIdentifier == "group")
        #expect(kept.answersBearerChallenges)
        #expect(kept.isDiscretionary)
        #expect(kept.timeoutIntervalForResource == 10)
        #expect(kept.httpAdditionalHeaders?["A"] as? String == "b")
        await end(session)
    }

    @Test("E1, E2, E3, E5, E8: the delegate receives all events in order, one call at a time")
    func reported() async throws {
        let session = session()
        let download = session.downloadTask(with: try #require(URL(string: "http://example.org/a")))
        download.resume()
        let upload = session.uploadTask(
            with: URLRequest(url: try #require(URL(string: "http://example.org/b"))),
            fromFile: URL(fileURLWithPath: #filePath))
        upload.resume()
        let answer = ResponseDescription(url: "http://example.org/a", status: 404, headers: [:])
        let failure = FailureDescription(code: URLError.Code.timedOut.rawValue, message: "too slow")
        for event in [
            SessionEvent(task: 1, .continued(offset: 10, total: nil)), SessionEvent(task: 1, .received(30, total: nil)),
            SessionEvent(task: 1, .received(70, total: 100)), SessionEvent(task: 1, .received(5, total: 100)),
            SessionEvent(task: 1, .responded(answer)), SessionEvent(number: 1, task: 1, .downloaded(path: "/tmp/f")),
            SessionEvent(number: 2, task: 1, .completed(nil)), SessionEvent(task: 2, .sent(7, total: 9)),
            SessionEvent(number: 3, task: 2, .body(Array("ok".utf8))),
            SessionEvent(number: 4, task: 2, .completed(failure)), SessionEvent(number: 5, .finishedEvents),
        ] { channel.send(event) }
        await end(session)
        #expect(
            diary.lines.withLock { $0 } == [
                "1 resumed 10 -1", "1 wrote 20 30 -1", "1 wrote 40 70 100", "1 wrote 5 5 100", "1 finished f",
                "1 completed 404 0", "2 sent 7 7 9", "2 answer ok", "2 completed  -1001", "all events", "invalid",
            ])
        #expect(channel.acknowledged == [1, 2, 3, 4, 5])
        #expect(download.state == .completed)
        #expect(download.countOfBytesReceived == 5)
        #expect(download.countOfBytesExpectedToReceive == 100)
        #expect(upload.countOfBytesSent == 7)
        #expect(upload.countOfBytesExpectedToSend == 9)
        #expect((upload.error as? URLError)?.code == .timedOut)
    }

    @Test("E6: each task of an earlier run has the right type and always the same object")
    func listed() async {
        var upload = TaskSnapshot.download(2)
        upload.kind = .upload(path: #filePath)
        upload.sent = 4
        upload.total = 8
        channel.content.withLock { $0.tasks = [.download(1), upload] }
        let session = session()
        let (downloads, uploads) = await withCheckedContinuation { continuation in
            session.getTasksWithCompletionHandler { data, uploads, downloads in
                #expect(data == [])
                continuation.resume(returning: (downloads, uploads))
            }
        }
        #expect(downloads.map(\.taskIdentifier) == [1])
        #expect(uploads.map(\.taskIdentifier) == [2])
        #expect(uploads.first?.progress.fractionCompleted == 0.5)
        let again = await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0) }
        }
        #expect(again.first === downloads.first)
        session.invalidateAndCancel()
    }

    @Test("T3, T5, T6: a task supports the properties and methods of Apple's tasks")
    func task() throws {
        let session = session()
        let task = session.downloadTask(with: try #require(URL(string: "http://example.org/a")))
        task.earliestBeginDate = Date(timeIntervalSince1970: 2e9)
        task.countOfBytesClientExpectsToSend = 1
        task.countOfBytesClientExpectsToReceive = 2
        task.taskDescription = "mine"
        task.priority = URLSessionTask.highPriority
        #expect(task.state == .suspended)
        task.resume()
        guard case .submit(let snapshot) = channel.orders.first else {
            Issue.record("nothing was submitted")
            return
        }
        #expect(snapshot.earliestBegin == WallTime(secondsSinceEpoch: 2_000_000_000))
        #expect(snapshot.expectedToSend == 1)
        #expect(snapshot.expectedToReceive == 2)
        #expect(snapshot.note == "mine")
        #expect(snapshot.priority == URLSessionTask.highPriority)
        var data: Data?
        task.cancel { data = $0 }
        let kept = try #require(data)
        session.downloadTask(withResumeData: kept).resume()
        guard case .submit(let continued) = channel.orders.last else {
            Issue.record("nothing was submitted")
            return
        }
        #expect(continued.continues == "task().1")
        session.invalidateAndCancel()
    }

    @Test("E7: delegate methods are called on the given queue")
    func queue() async throws {
        let queue = OperationQueue()
        queue.name = "mine"
        final class DelayedBeginDelegate: NSObject, URLSessionTaskDelegate {
            let queue = Mutex<String?>(nil)
            let ended = AsyncStream.makeStream(of: Void.self)
            func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
                queue.withLock { $0 = OperationQueue.current?.name }
                ended.continuation.finish()
            }
        }
        let asker = DelayedBeginDelegate()
        let session = URLSession(configuration: .background(withIdentifier: "q"), delegate: asker, delegateQueue: queue)
        session.finishTasksAndInvalidate()
        for await _ in asker.ended.stream {}
        #expect(asker.queue.withLock { $0 } == "mine")
    }

    @Test("S2: a background session without a delegate ends the program with a message")
    func noDelegate() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            SessionChannels.use(FakeChannel())
            _ = URLSession(configuration: .background(withIdentifier: "s"))
        }
        #expect(words(of: result).contains("needs a delegate"))
    }

    @Test("S2, T1: an unsupported task ends the program with a message about the alternative")
    func unsupported() async {
        let handler = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            SessionChannels.use(FakeChannel())
            let session = URLSession(
                configuration: .background(withIdentifier: "s"), delegate: EmptyDelegate(), delegateQueue: nil)
            _ = session.downloadTask(with: URL(string: "http://example.org/")!) { _, _, _ in }
        }
        #expect(words(of: handler).contains("Use the delegate's methods"))
        let memory = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            SessionChannels.use(FakeChannel())
            let session = URLSession(
                configuration: .background(withIdentifier: "s"), delegate: EmptyDelegate(), delegateQueue: nil)
            _ = session.uploadTask(with: URLRequest(url: URL(string: "http://example.org/")!), from: Data())
        }
        #expect(words(of: memory).contains("upload that"))
    }

    @Test("S11: a session without an identifier is FoundationNetworking's own")
    func plain() {
        let session = URLSession(configuration: .ephemeral, delegate: diary, delegateQueue: nil)
        #expect(session.dataTask(with: URL(string: "http://example.org/")!).taskIdentifier == 1)
        #expect(session.delegate === diary)
        session.invalidateAndCancel()
        #expect(URLSession.shared === URLSession.shared)
        #expect(channel.orders == [])
    }
}

/// The text that a program wrote to standard error before it ended.
private func words(of result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

private final class EmptyDelegate: NSObject, URLSessionDelegate {}
