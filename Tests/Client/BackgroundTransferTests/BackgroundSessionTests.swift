// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferPolicy
import TransferSessions

@testable import BackgroundTransfer

@Suite("BackgroundSession")
struct BackgroundSessionTests {
    let channel = FakeChannel()

    func session(_ identifier: String = "s") throws -> BackgroundSession {
        try BackgroundSession(BackgroundSessionConfiguration(identifier: identifier), over: channel)
    }

    let request = URLRequest(url: URL(string: "http://example.org/file")!)

    @Test(
        "S1: an identifier that is empty, too long, or contains NUL is refused",
        arguments: ["", "a\0b", String(repeating: "x", count: 256)])
    func identifiers(_ identifier: String) {
        #expect { try session(identifier) } throws: { ($0 as? SessionError)?.code == .badIdentifier }
    }

    @Test("The daemon's events and changes have no bodies, and the app's requests have them")
    func bodies() async throws {
        let session = try session()
        var post = request
        (post.httpMethod, post.httpBody) = ("POST", Data([1, 2]))
        let task = try session.download(post)
        task.resume()
        task.note = "mine"
        guard case .submit(let submitted) = channel.orders.first, case .change(let changed) = channel.orders.last else {
            Issue.record("other orders: \(channel.orders)")
            return
        }
        #expect(submitted.request.body == [1, 2] && changed.request.body == nil && changed.note == "mine")
        #expect(task.request?.httpBody == Data([1, 2]))
        channel.send(SessionEvent(task: 1, .willBegin(submitted.withoutBody.request)))
        var events = session.events.makeAsyncIterator()
        guard case .willBegin(_, let asked)? = await events.next()?.kind else {
            Issue.record("the first event is another")
            return
        }
        #expect(asked.httpBody == Data([1, 2]))
    }

    @Test(
        "T1: only http and https URLs are supported",
        arguments: ["ftp://a/b", "file:///etc/passwd", "data:,a", "http:", "x"])
    func schemes(_ text: String) throws {
        let session = try session()
        let url = try #require(URL(string: text))
        #expect { try session.download(URLRequest(url: url)) } throws: {
            ($0 as? SessionError)?.code == .unsupportedScheme
        }
    }

    @Test("T1: only a readable file can be uploaded", arguments: ["/", "/nowhere/at/all"])
    func files(_ path: String) throws {
        let session = try session()
        #expect { try session.upload(request, fromFile: URL(fileURLWithPath: path)) } throws: {
            ($0 as? SessionError)?.code == .unreadableFile
        }
    }

    @Test(
        "T1: an upload without a method is a POST, and a given method is kept",
        arguments: [(nil, "POST"), ("PUT", "PUT")])
    func methods(_ method: String?, _ sent: String) throws {
        var request = request
        request.httpMethod = method
        try session().upload(request, fromFile: URL(fileURLWithPath: #filePath)).resume()
        guard case .submit(let snapshot) = channel.orders.first else {
            Issue.record("nothing was submitted")
            return
        }
        #expect(snapshot.request.method == sent)
        #expect(snapshot.kind == .upload(path: #filePath))
    }

    @Test("T3, T4, T5: the app's settings are submitted with the task, and later changes are sent")
    func said() throws {
        let task = try session().download(request)
        let date = Date(timeIntervalSince1970: 2e9)
        task.earliestBeginDate = date
        task.countOfBytesClientExpectsToSend = 200
        task.countOfBytesClientExpectsToReceive = 5000
        task.priority = 7
        task.note = "mine"
        task.resume()
        var expected = TaskSnapshot(identifier: 1, kind: .download, request: try RequestDescription(request))
        expected.earliestBegin = WallTime(date)
        expected.expectedToSend = 200
        expected.expectedToReceive = 5000
        expected.priority = 1
        expected.note = "mine"
        #expect(channel.orders == [.submit(expected)])
        task.priority = 1
        #expect(channel.orders.count == 1)
        task.priority = 0.25
        expected.priority = 0.25
        #expect(channel.orders.last == .change(expected))
    }

    @Test("T6: a download is continued by its own resume data only")
    func continued() throws {
        let session = try session()
        let task = try session.download(request)
        task.note = "mine"
        task.resume()
        let data = try #require(task.cancelKeepingBytes())
        #expect(channel.orders.last == .cancelKeeping(1, token: "s.1"))
        #expect(task.cancelKeepingBytes() == nil)
        let next = try session.download(continuing: data)
        next.resume()
        guard case .submit(let snapshot) = channel.orders.last else {
            Issue.record("nothing was submitted")
            return
        }
        #expect(snapshot.continues == "s.1")
        #expect(snapshot.note == "mine")
        #expect(next.request?.url == request.url)
        for bad in [Data(), Data("{}".utf8), data.dropLast()] {
            #expect { try session.download(continuing: bad) } throws: { ($0 as? SessionError)?.code == .badResumeData }
        }
    }

    @Test("T6: a task that is canceled before its first resume is submitted suspended, and ends like others")
    func cancelledEarly() throws {
        let task = try session().download(request)
        task.cancel()
        guard case .submit(let snapshot) = channel.orders.first else {
            Issue.record("nothing was submitted")
            return
        }
        #expect(snapshot.isSuspended)
        #expect(channel.orders.last == .cancel(1))
        task.resume()
        #expect(task.state == .canceling)
    }

    @Test("E4: an event of an unknown task is acknowledged, so that it is not repeated forever")
    func unknown() async throws {
        let session = try session()
        channel.send(SessionEvent(number: 5, task: 99, .completed(nil)))
        channel.send(SessionEvent(number: 6, .finishedEvents))
        var events = session.events.makeAsyncIterator()
        guard case .finishedEvents = await events.next()?.kind else {
            Issue.record("another event came")
            return
        }
        #expect(channel.acknowledged == [5])
    }

    @Test("E3: a local failure is an error with a code and a message")
    func failed() async throws {
        let session = try session()
        let task = try session.download(request)
        task.resume()
        let failure = FailureDescription(code: URLError.Code.cannotFindHost.rawValue, message: "no such host")
        channel.send(SessionEvent(number: 1, task: 1, .completed(failure)))
        var events = session.events.makeAsyncIterator()
        guard case .completed(_, let error) = await events.next()?.kind else {
            Issue.record("another event came")
            return
        }
        #expect(error?.code == .cannotFindHost)
        #expect(error?.localizedDescription == "no such host")
        #expect(task.error?.code == .cannotFindHost)
    }
}
