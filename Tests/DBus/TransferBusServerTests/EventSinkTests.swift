// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferBusProtocol
import TransferModel
import TransferSessions

@testable import TransferBusServer

@Suite("Event delivery to a process that may be stopped")
struct EventSinkTests {
    private let key = SessionKey(app: "org.example.App", identifier: "s")

    /// A fake process that receives events and can stop reading.
    private final class Other: Sendable {
        struct Content {
            var received: [SessionEvent] = []
            var pendingConfirmations: [@Sendable () -> Void] = []
            /// The number of times that all waiting events were to be sent again.
            var again = 0
        }

        let content = Mutex(Content())
        var received: [SessionEvent] { content.withLock(\.received) }

        var sink: EventSink {
            EventSink { _ in
                self.content.withLock { $0.again += 1 }
            } send: { _, event in
                self.content.withLock { $0.received.append(event) }
            } ask: { confirm in
                self.content.withLock { $0.pendingConfirmations.append(confirm) }
            }
        }

        /// Resumes reading: the process answers every open question.
        func resumeReading() {
            let pendingConfirmations = content.withLock { content in
                defer { content.pendingConfirmations = [] }
                return content.pendingConfirmations
            }
            for confirm in pendingConfirmations { confirm() }
        }
    }

    private func progress(_ bytes: Int64, task: Int = 1) -> SessionEvent {
        SessionEvent(task: task, .received(bytes, total: nil))
    }

    @Test("A stopped process receives limited progress, and the latest progress after it resumes")
    func stopped() {
        let other = Other()
        let sink = other.sink
        for bytes in 1...10_000 { sink.deliver(key, progress(Int64(bytes))) }
        #expect(other.received.count < 200)
        let before = other.received.count
        other.resumeReading()
        #expect(Array(other.received[before...]) == [progress(10_000)])
        // The sink then behaves as at the start.
        sink.deliver(key, progress(10_001))
        #expect(other.received.last == progress(10_001))
    }

    @Test("Other events are always sent, after the withheld progress of their task")
    func other() {
        let other = Other()
        let sink = other.sink
        for bytes in 1...1000 { sink.deliver(key, progress(Int64(bytes))) }
        for bytes in 1...1000 { sink.deliver(key, progress(Int64(bytes), task: 2)) }
        let before = other.received.count
        let end = SessionEvent(number: 8, task: 1, .completed(nil))
        sink.deliver(key, end)
        sink.deliver(key, SessionEvent(.finishedEvents))
        #expect(Array(other.received[before...]) == [progress(1000), end, SessionEvent(.finishedEvents)])
        other.resumeReading()
        #expect(other.received.last == progress(1000, task: 2))
    }

    @Test("A process that keeps up receives all events")
    func keepingUp() {
        let other = Other()
        let sink = other.sink
        for bytes in 1...1000 {
            sink.deliver(key, progress(Int64(bytes)))
            other.resumeReading()
        }
        #expect(other.received == (1...1000).map { progress($0) })
    }

    @Test("C7: a stopped process receives a limited number of events, and all events again after it resumes")
    func bounded() {
        let other = Other()
        let sink = other.sink
        for number in 1...10_000 {
            sink.deliver(key, SessionEvent(number: Int64(number), task: number, .completed(nil)))
        }
        #expect(other.received.count < 2000)
        sink.deliver(key, SessionEvent(.invalidated(nil)))
        #expect(other.received.last?.kind == .invalidated(nil))
        #expect(other.content.withLock(\.again) == 0)
        other.resumeReading()
        #expect(other.content.withLock(\.again) == 1)
        // The sink then behaves as at the start.
        sink.deliver(key, progress(1))
        #expect(other.received.last == progress(1))
    }
}
