// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

/// Tests of the progress that a delegate and `Progress` report.
extension URLSessionTests {
    /// A delegate that records the byte counts of its progress calls and the end of a task.
    private final class Meter: NSObject, URLSessionDownloadDelegate {
        let counts = Mutex<[Int64]>([])
        let ended = AsyncStream.makeStream(of: Void.self)

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {}
        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) { counts.withLock { $0.append(bytesWritten) } }
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) { counts.withLock { $0.append(bytesSent) } }
        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            ended.continuation.yield()
        }
    }

    private func meter(_ identifier: String = #function) throws -> (URLSession, URLSessionDownloadTask, Meter) {
        let meter = Meter()
        let session = URLSession(
            configuration: .background(withIdentifier: identifier), delegate: meter, delegateQueue: nil)
        return (session, session.downloadTask(with: try #require(URL(string: "http://example.org/a"))), meter)
    }

    @Test("E1: 0 new bytes are never reported, because apps divide by the number")
    func noBytes() async throws {
        let (session, task, meter) = try meter()
        task.resume()
        channel.send(SessionEvent(task: 1, .received(0, total: nil)))
        for bytes: Int64 in [0, 30, 30, 70, 0, 40] { channel.send(SessionEvent(task: 1, .received(bytes, total: 100))) }
        channel.send(SessionEvent(number: 1, task: 1, .completed(nil)))
        for await _ in meter.ended.stream { break }
        #expect(meter.counts.withLock { $0 } == [30, 40, 40])
        session.invalidateAndCancel()
    }

    @Test("E1: bytes that were reported to an earlier process are not new")
    func bytesOfEarlierProcesses() async throws {
        var task = TaskSnapshot.download(1)
        task.received = 40
        channel.content.withLock { ($0.tasks, $0.nextTask) = ([task], 2) }
        let (session, _, meter) = try meter()
        channel.send(SessionEvent(task: 1, .received(60, total: 100)))
        channel.send(SessionEvent(task: 1, .received(70, total: 100)))
        channel.send(SessionEvent(number: 1, task: 1, .completed(nil)))
        for await _ in meter.ended.stream { break }
        #expect(meter.counts.withLock { $0 } == [20, 10])
        session.invalidateAndCancel()
    }

    @Test("T5: a task's progress and its parent follow the task to its end")
    func movesAlone() async throws {
        let (session, task, meter) = try meter()
        let parent = Progress(totalUnitCount: 10)
        parent.addChild(task.progress, withPendingUnitCount: 10)
        task.resume()
        channel.send(SessionEvent(task: 1, .received(25, total: 100)))
        while meter.counts.withLock(\.isEmpty), !Task.isCancelled { await Task.yield() }
        #expect(parent.fractionCompleted == 0.25)
        // No separate event reports the last bytes.
        channel.send(SessionEvent(number: 1, task: 1, .completed(nil)))
        for await _ in meter.ended.stream { break }
        #expect(parent.fractionCompleted == 1)
        #expect(task.progress.isFinished)
        session.invalidateAndCancel()
    }

    @Test("T5: canceling or pausing a task's progress or its parent cancels or pauses the task")
    func controlsByProgress() async throws {
        let (session, task, _) = try meter()
        let parent = Progress(totalUnitCount: 1)
        parent.addChild(task.progress, withPendingUnitCount: 1)
        task.resume()
        parent.pause()
        while !channel.orders.contains(.suspend(1)), !Task.isCancelled { await Task.yield() }
        parent.resume()
        while !channel.orders.contains(.resume(1)), !Task.isCancelled { await Task.yield() }
        parent.cancel()
        while !channel.orders.contains(.cancel(1)), !Task.isCancelled { await Task.yield() }
        session.invalidateAndCancel()
    }
}
