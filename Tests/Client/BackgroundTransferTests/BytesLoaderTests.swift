// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import BackgroundTransfer

@Suite("Order of events in the loading of a response's bytes", .timeLimit(.minutes(1)))
struct BytesLoaderTests {
    /// A task that does what the test says, in place of a request.
    private final class FakeTask: FoundationNetworking.URLSessionDataTask, @unchecked Sendable {
        private let calls = Mutex<[String]>([])
        let onResume = Mutex<(@Sendable () -> Void)?>(nil)
        let onSuspend = Mutex<(@Sendable () -> Void)?>(nil)
        let onCancel = Mutex<(@Sendable () -> Void)?>(nil)

        init(name: String) { super.init() }

        var lines: [String] { calls.withLock { $0 } }

        private func call(_ name: String, _ action: (@Sendable () -> Void)?) {
            calls.withLock { $0.append(name) }
            action?()
            calls.withLock { $0.append(name + " returned") }
        }

        override func resume() { call("resume", onResume.withLock { $0 }) }
        override func suspend() { call("suspend", onSuspend.withLock { $0 }) }
        override func cancel() { call("cancel", onCancel.withLock { $0 }) }
    }

    /// The reading of the first bytes.
    private final class Reading: Sendable {
        let task = Mutex<Task<Data?, any Error>?>(nil)
        let hasEnded = Mutex(false)
    }

    @Test("A reader that is faster than the suspension does not leave the request suspended")
    func suspension() async throws {
        let (loader, task) = (BytesLoader(), FakeTask(name: "bytes"))
        let read = Reading()
        task.onSuspend.withLock {
            $0 = {
                // The reader empties the buffer before the suspension has returned, if nothing keeps it from that.
                let reader = Task {
                    let data = try await loader.next()
                    read.hasEnded.withLock { $0 = true }
                    return data
                }
                read.task.withLock { $0 = reader }
                let end = ContinuousClock.now + .milliseconds(500)
                while !read.hasEnded.withLock({ $0 }), ContinuousClock.now < end { usleep(1000) }
            }
        }
        let session = FoundationNetworking.URLSession.shared
        let url = try #require(URL(string: "http://example.org/"))
        let head = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        task.onResume.withLock {
            $0 = {
                guard read.task.withLock({ $0 }) == nil else { return }
                loader.urlSession(session, dataTask: task, didReceive: head) { _ in }
            }
        }
        _ = try await loader.start(task)
        // The delegate's calls do not come on a thread of the cooperative pool.
        await withCheckedContinuation { done in
            DispatchQueue(label: "delegate").async {
                loader.urlSession(session, dataTask: task, didReceive: Data(count: 1 << 20))
                done.resume()
            }
        }
        #expect(try await read.task.withLock { $0 }?.value?.count == 1 << 20)
        #expect(
            task.lines == ["resume", "resume returned", "suspend", "suspend returned", "resume", "resume returned"])
    }

    @Test("A request that ends before its reader waits does not leave the reader waiting")
    func endsEarly() async throws {
        let (loader, task) = (BytesLoader(), FakeTask(name: "canceled"))
        let session = FoundationNetworking.URLSession.shared
        task.onCancel.withLock {
            $0 = { loader.urlSession(session, task: task, didCompleteWithError: URLError(.cancelled)) }
        }
        let reader = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await loader.start(task)
        }
        reader.cancel()
        await #expect(throws: URLError.self) { try await reader.value }
    }
}
