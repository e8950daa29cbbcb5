// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

@Suite("Order of handlers and events in a launched program")
struct EventDeliveryTests {
    private let channel = FakeChannel()

    /// Reads and acknowledges the events of a session.
    private func read(_ session: BackgroundSession, into lines: @escaping @Sendable (String) -> Void) -> Task<
        Void, Never
    > {
        Task {
            for await event in session.events {
                switch event.kind {
                case .completed: lines("completed")
                case .finishedEvents: lines("finished")
                default: break
                }
                event.acknowledge()
            }
        }
    }

    private func ended() -> TaskSnapshot {
        var task = TaskSnapshot.download(1)
        task.isEnded = true
        return task
    }

    @Test("L6: the handler is called first, and a program that completes early runs until its events are handled")
    func early() async throws {
        let log = Log()
        let application = BackgroundApplication(idleLimit: .seconds(3600))
        application.onEvents { session, done in
            log.add("handle \(session)")
            done()
        }
        application.expectLaunch(for: "s")
        channel.content.withLock { $0.tasks = [ended()] }
        let session = try BackgroundSession(
            BackgroundSessionConfiguration(identifier: "s"), over: channel, in: application)
        let reader = read(session) { log.add($0) }
        channel.send(SessionEvent(number: 1, task: 1, .completed(nil)))
        _ = try await session.unfinishedTasks()
        #expect(log.lines == [])
        application.handleLaunch(for: "s") { log.add("ended") }
        while !log.lines.contains("completed") { await Task.yield() }
        #expect(log.lines == ["handle s", "completed"])
        channel.send(SessionEvent(.finishedEvents))
        while !log.lines.contains("ended") { await Task.yield() }
        #expect(log.lines == ["handle s", "completed", "finished", "ended"])
        session.invalidateAndCancel()
        await reader.value
    }

    @Test("L6: a program that calls its completion handler after the events ends at that call")
    func late() async throws {
        let log = Log()
        let application = BackgroundApplication(idleLimit: .seconds(3600))
        let kept = Mutex<(@Sendable () -> Void)?>(nil)
        application.onEvents { _, done in kept.withLock { $0 = done } }
        application.handleLaunch(for: "s") { log.add("ended") }
        let session = try BackgroundSession(
            BackgroundSessionConfiguration(identifier: "s"), over: channel, in: application)
        let reader = read(session) { log.add($0) }
        channel.send(SessionEvent(.finishedEvents))
        while !log.lines.contains("finished") { await Task.yield() }
        #expect(log.lines == ["finished"])
        kept.withLock { $0 }?()
        while !log.lines.contains("ended") { await Task.yield() }
        session.invalidateAndCancel()
        await reader.value
    }

    @Test("L6: a program waits until the idle limit for a session that is not created", .timeLimit(.minutes(1)))
    func idle() async {
        let ended = AsyncStream.makeStream(of: Void.self)
        let application = BackgroundApplication(idleLimit: .milliseconds(1))
        application.onEvents { _, done in done() }
        application.handleLaunch(for: "never created") { ended.continuation.finish() }
        for await _ in ended.stream {}
    }

    @Test("a background task keeps the program running until the task ends or expires")
    func backgroundTasks() async {
        let log = Log()
        let application = BackgroundApplication(idleLimit: .seconds(3600))
        let task = application.beginBackgroundTask(withName: "t") { log.add("expired") }
        #expect(task != .invalid)
        application.onEvents { _, done in done() }
        application.handleLaunch(for: "s") { log.add("ended") }
        application.deliver { $0.beginEvent() }
        application.deliver { $0.endEvent(lastOf: "s") }
        #expect(log.lines == [])
        application.endBackgroundTask(task)
        #expect(log.lines == ["ended"])

        let expired = AsyncStream.makeStream(of: Void.self)
        let brief = BackgroundApplication(idleLimit: .milliseconds(1))
        _ = brief.beginBackgroundTask { log.add("expired") }
        brief.onEvents { _, done in done() }
        brief.handleLaunch(for: "s") { expired.continuation.finish() }
        for await _ in expired.stream {}
        #expect(log.lines == ["ended", "expired"])
    }

    @Test("the state, the delegate, and the notifications have UIKit's names")
    func names() {
        final class Delegate: BackgroundApplicationDelegate {
            nonisolated(unsafe) static var calls: [String] = []
            func applicationDidEnterBackground(_ application: BackgroundApplication) { Self.calls.append("background") }
            func applicationDidBecomeActive(_ application: BackgroundApplication) { Self.calls.append("active") }
        }
        let application = BackgroundApplication(idleLimit: .seconds(3600))
        #expect(application.delegate == nil)
        let delegate = Delegate()
        application.delegate = delegate
        #expect(application.delegate === delegate)
        #expect(application.applicationState == .active)
        application.storeInFront(false)
        #expect(application.applicationState == .background)
        application.report(UIApplication.didEnterBackgroundNotification)
        #expect(Delegate.calls.contains("background"))
    }
}

/// A thread-safe list of lines.
private final class Log: Sendable {
    private let content = Mutex<[String]>([])

    var lines: [String] { content.withLock { $0 } }

    func add(_ line: String) { content.withLock { $0.append(line) } }
}
