// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

@Suite("Order of handlers and events in a launched program", .timeLimit(.minutes(1)))
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
                lines("acknowledged")
            }
        }
    }

    /// Waits until a condition holds. The time limit of the suite ends the wait.
    private func until(_ condition: () -> Bool) async { while !condition(), !Task.isCancelled { await Task.yield() } }

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
        // The reader has reached the event, and waits.
        await until { application.content.withLock { $0.delivery.isAwaited(session: "s") } || log.lines != [] }
        #expect(log.lines == [])
        application.handleLaunch(for: "s") { log.add("ended") }
        await until { log.lines.contains("acknowledged") }
        #expect(log.lines == ["handle s", "completed", "acknowledged"])
        channel.send(SessionEvent(.finishedEvents))
        await until { log.lines.count == 6 }
        #expect(log.lines == ["handle s", "completed", "acknowledged", "finished", "ended", "acknowledged"])
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
        await until { log.lines.contains("acknowledged") }
        #expect(log.lines == ["finished", "acknowledged"])
        kept.withLock { $0 }?()
        #expect(log.lines.last == "ended")
        session.invalidateAndCancel()
        await reader.value
    }

    @Test("the end of a session is handled before the program ends")
    func invalidated() async throws {
        let log = Log()
        let application = BackgroundApplication(idleLimit: .seconds(3600))
        application.onEvents { _, done in done() }
        application.handleLaunch(for: "s") { log.add("ended") }
        let session = try BackgroundSession(
            BackgroundSessionConfiguration(identifier: "s"), over: channel, in: application)
        session.invalidateAndCancel()
        var events = session.events.makeAsyncIterator()
        let last = await events.next()
        guard case .invalidated? = last?.kind else {
            Issue.record("another event: \(String(describing: last))")
            return
        }
        #expect(log.lines == [])
        last?.acknowledge()
        #expect(log.lines == ["ended"])
    }

    @Test("L6: a program that the bus has started waits for its call, and ends after it has handled the events")
    func startedByBus() async throws {
        let log = Log()
        let application = BackgroundApplication(idleLimit: .seconds(3600))
        application.onEvents { session, done in
            log.add("handle \(session)")
            done()
        }
        #expect(!application.handleLaunch { log.add("ended") })
        application.isStartedForEvents = true
        #expect(application.handleLaunch { log.add("ended") })
        #expect(!application.isInFront)
        let session = try BackgroundSession(
            BackgroundSessionConfiguration(identifier: "s"), over: channel, in: application)
        let reader = read(session) { log.add($0) }
        // A change before the call does not end the program.
        application.endBackgroundTask(application.beginBackgroundTask())
        #expect(log.lines == [])
        application.handleEvents(of: "s")
        #expect(log.lines == ["handle s"])
        channel.send(SessionEvent(.finishedEvents))
        await until { log.lines.count == 4 }
        #expect(log.lines == ["handle s", "finished", "ended", "acknowledged"])
        session.invalidateAndCancel()
        await reader.value
    }

    @Test("L6: a program that the bus has started, and that is not called, ends at the idle limit")
    func neverCalled() async {
        let ended = AsyncStream.makeStream(of: Void.self)
        let application = BackgroundApplication(idleLimit: .milliseconds(1))
        application.isStartedForEvents = true
        application.handleLaunch { ended.continuation.finish() }
        for await _ in ended.stream {}
    }

    @Test("a background task that begins while the program is idle expires at the idle limit")
    func idleBackgroundTask() async {
        let ended = AsyncStream.makeStream(of: Void.self)
        let log = Log()
        let application = BackgroundApplication(idleLimit: .milliseconds(200))
        application.onEvents { _, done in done() }
        application.handleLaunch(for: "never created") { ended.continuation.finish() }
        _ = application.beginBackgroundTask { log.add("expired") }
        for await _ in ended.stream {}
        #expect(log.lines == ["expired"])
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
            // The main queue and the test call the delegate at the same time.
            let calls = Log()
            func applicationDidEnterBackground(_ application: BackgroundApplication) { calls.add("background") }
            func applicationDidBecomeActive(_ application: BackgroundApplication) { calls.add("active") }
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
        #expect(delegate.calls.lines.contains("background"))
    }
}

/// A thread-safe list of lines.
private final class Log: Sendable {
    private let content = Mutex<[String]>([])

    var lines: [String] { content.withLock { $0 } }

    func add(_ line: String) { content.withLock { $0.append(line) } }
}
