// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

/// Tests of Apple's names that FoundationNetworking lacks.
extension URLSessionTests {
    /// A delegate that collects the errors of ended tasks.
    private final class Errors: NSObject, URLSessionTaskDelegate {
        let stream = AsyncStream.makeStream(of: (task: URLSessionTask, error: URLError?).self)

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            stream.continuation.yield((task, error as? URLError))
        }

        func next() async -> (task: URLSessionTask, error: URLError?)? {
            for await end in stream.stream { return end }
            return nil
        }
    }

    private func failing(_ identifier: String = #function) throws -> (URLSession, URLSessionDownloadTask, Errors) {
        let errors = Errors()
        let session = URLSession(
            configuration: .background(withIdentifier: identifier), delegate: errors, delegateQueue: nil)
        return (session, session.downloadTask(with: try #require(URL(string: "http://example.org/a"))), errors)
    }

    @Test("E6: asynchronous properties return the unfinished tasks")
    func taskProperties() async {
        var upload = TaskSnapshot.download(2)
        upload.kind = .upload(path: #filePath)
        channel.content.withLock { $0.tasks = [.download(1), upload] }
        let session = session()
        #expect(await session.allTasks.map(\.taskIdentifier) == [1, 2])
        let (data, uploads, downloads) = await session.tasks
        #expect(data == [])
        #expect(uploads.map(\.taskIdentifier) == [2] && downloads.map(\.taskIdentifier) == [1])
        session.invalidateAndCancel()
    }

    @Test("E6: a task that ended while the program did not run is listed until the delegate has handled its end")
    func endedTasks() async throws {
        var ended = TaskSnapshot.download(1)
        ended.isEnded = true
        channel.content.withLock { $0.tasks = [ended, .download(2)] }
        let errors = Errors()
        let session = URLSession(
            configuration: .background(withIdentifier: #function), delegate: errors, delegateQueue: nil)
        let tasks = await session.allTasks
        #expect(tasks.map(\.taskIdentifier) == [1, 2])
        #expect(tasks.map(\.state) == [.running, .running])
        channel.send(SessionEvent(number: 1, task: 1, .completed(nil)))
        #expect(await errors.next()?.task.state == .completed)
        while await session.allTasks.count > 1 { await Task.yield() }
        #expect(await session.allTasks.map(\.taskIdentifier) == [2])
        session.invalidateAndCancel()
    }

    @Test("T6: the error of a failed download, or of one canceled by producing data, has resume data")
    func resumeDataInErrors() async throws {
        let (session, failed, errors) = try failing()
        let url = try #require(URL(string: "http://example.org/b?c=d"))
        let (kept, dropped, quit) = (
            session.downloadTask(with: url), session.downloadTask(with: url), session.downloadTask(with: url)
        )
        for task in [failed, kept, dropped, quit] { task.resume() }
        channel.send(SessionEvent(number: 1, task: 1, .completed(FailureDescription(code: -1005, message: "lost"))))
        let data = try #require(await errors.next()?.error?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
        #expect(session.downloadTask(withResumeData: data).originalRequest?.url?.path == "/a")
        let cancelled = FailureDescription(code: -999, message: "it was canceled")
        var produced: Data?
        kept.cancel { produced = $0 }
        channel.send(SessionEvent(number: 2, task: 2, .completed(cancelled)))
        let error = try #require(await errors.next()?.error)
        #expect(produced != nil && error.downloadTaskResumeData == produced)
        #expect(error.backgroundTaskCancelledReason == nil)
        #expect(error.networkUnavailableReason == nil)
        dropped.cancel()
        channel.send(SessionEvent(number: 3, task: 3, .completed(cancelled)))
        #expect(try #require(await errors.next()?.error).downloadTaskResumeData == nil)
        channel.send(SessionEvent(number: 4, task: 4, .completed(cancelled)))
        let quitError = try #require(await errors.next()?.error)
        #expect(quitError.backgroundTaskCancelledReason == .userForceQuitApplication)
        #expect(quitError.downloadTaskResumeData != nil)
        session.invalidateAndCancel()
    }

    @Test("T6: the error of a download that ended in an earlier process has no resume data")
    func noResumeDataLater() async throws {
        var task = TaskSnapshot.download(1)
        task.isEnded = true
        channel.content.withLock { $0.tasks = [task] }
        let errors = Errors()
        let session = URLSession(
            configuration: .background(withIdentifier: "later"), delegate: errors, delegateQueue: nil)
        channel.send(SessionEvent(number: 1, task: 1, .completed(FailureDescription(code: -1005, message: "lost"))))
        #expect(try #require(await errors.next()?.error).downloadTaskResumeData == nil)
        session.invalidateAndCancel()
    }

    @Test("T1: a data task of a background session fails when it is resumed, and the program continues")
    func dataTask() async throws {
        let (session, _, errors) = try failing()
        let task = session.dataTask(with: try #require(URL(string: "http://example.org/a")))
        #expect(task.state == .suspended && task.error == nil)
        task.resume()
        task.resume()
        let end = try #require(await errors.next())
        #expect(end.task === task)
        #expect(end.error?.code == .backgroundSessionWasDisconnected)
        #expect(end.error?.localizedDescription.contains("Use a download task") == true)
        #expect(task.state == .completed)
        let canceled = session.dataTask(with: try #require(URL(string: "http://example.org/b")))
        canceled.cancel()
        canceled.resume()
        #expect((canceled.error as? URLError)?.code == .cancelled && canceled.state == .completed)
        #expect(await errors.next()?.error?.code == .cancelled)
        #expect(canceled.taskIdentifier != task.taskIdentifier)
        // Tasks that were never submitted use up none of the session's numbers.
        let next = session.downloadTask(with: try #require(URL(string: "http://example.org/c")))
        #expect(next.taskIdentifier == 2)
        session.invalidateAndCancel()
    }

    @Test("a task has a single object, which is notified of its changes")
    func singleObject() async throws {
        let (session, _, errors) = try failing()
        let background = try #require(session.background)
        let task = try background.download(URLRequest(url: try #require(URL(string: "http://example.org/b"))))
        // Another thread lists the tasks before the task is returned to its creator.
        let listed = session.objects.object(for: task)
        let returned: URLSessionDownloadTask = session.objects.add(task, of: session)
        #expect(listed === returned)
        task.resume()
        channel.send(SessionEvent(number: 1, task: 2, .completed(nil)))
        #expect(await errors.next()?.task === listed)
        while session.objects.isUnfinished(task), !Task.isCancelled { await Task.yield() }
        #expect(session.objects.object(for: task) === listed)
        session.invalidateAndCancel()
    }

    @Test("an observation does not repeat an equal error, and misses no change during its registration")
    func observedErrors() async throws {
        let (session, task, errors) = try failing()
        let codes = Mutex<[Int?]>([])
        let observation = task.observe(\.error, options: [.initial, .new]) { _, change in
            codes.withLock { $0.append((change.newValue.flatMap { $0 } as? URLError)?.errorCode) }
        }
        task.resume()
        let registered = Mutex(0)
        let late = task.observe(\.countOfBytesReceived, options: [.initial]) { task, _ in
            // The first call changes the task while the observation is being registered.
            let isFirst = registered.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { (task as? BackgroundDownloadTask)?.task.apply(.received(7, total: nil)) }
        }
        #expect(registered.withLock { $0 } == 2)
        channel.send(SessionEvent(task: 1, .received(25, total: 100)))
        channel.send(SessionEvent(number: 1, task: 1, .completed(FailureDescription(code: -1005, message: "lost"))))
        _ = await errors.next()
        KeyValueObservers.shared.evaluate()
        #expect(codes.withLock { $0 } == [nil, -1005])
        withExtendedLifetime((observation, late)) {}
        session.invalidateAndCancel()
    }

    @Test("T5: properties of tasks, progresses, and parents are observed until the observation is released")
    func observed() async throws {
        let (session, task, errors) = try failing()
        let parent = Progress(totalUnitCount: 10)
        parent.addChild(task.progress, withPendingUnitCount: 10)
        let states = Mutex<[URLSessionTask.State]>([])
        let fractions = Mutex<[Double]>([])
        let first = task.observe(\.state, options: [.initial, .new]) { _, change in
            states.withLock { $0.append(change.newValue ?? .canceling) }
        }
        var second: NSKeyValueObservation? = parent.observe(\.fractionCompleted, options: [.old]) { parent, change in
            #expect(change.newValue == nil)
            fractions.withLock { $0 += [change.oldValue ?? -1, parent.fractionCompleted] }
        }
        task.resume()
        channel.send(SessionEvent(task: 1, .received(25, total: 100)))
        while fractions.withLock(\.isEmpty), !Task.isCancelled { await Task.yield() }
        #expect(second != nil)
        second = nil
        channel.send(SessionEvent(number: 1, task: 1, .completed(nil)))
        _ = await errors.next()
        #expect(states.withLock { $0 } == [.suspended, .running, .completed])
        #expect(fractions.withLock { $0 } == [0, 0.25])
        first.invalidate()
        session.invalidateAndCancel()
    }
}
