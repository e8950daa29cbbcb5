// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferBusProtocol
import TransferModel
import TransferSessions

@testable import TransferBusServer

@Suite("The way of events to a process that may be stopped")
struct EventOutletTests {
    private let key = SessionKey(app: "org.example.App", identifier: "s")

    /// A fake process that receives events and can stop reading.
    private final class Other: Sendable {
        struct Content {
            var told: [SessionEvent] = []
            var questions: [@Sendable () -> Void] = []
            /// The number of times that all waiting events were to be sent again.
            var again = 0
        }

        let content = Mutex(Content())
        var told: [SessionEvent] { content.withLock(\.told) }

        var outlet: EventOutlet {
            EventOutlet { _ in
                self.content.withLock { $0.again += 1 }
            } send: { _, event in
                self.content.withLock { $0.told.append(event) }
            } ask: { answered in
                self.content.withLock { $0.questions.append(answered) }
            }
        }

        /// Resumes reading: the process answers every open question.
        func goOn() {
            let questions = content.withLock { content in
                defer { content.questions = [] }
                return content.questions
            }
            for answered in questions { answered() }
        }
    }

    private func progress(_ bytes: Int64, task: Int = 1) -> SessionEvent {
        SessionEvent(task: task, .received(bytes, total: nil))
    }

    @Test("A process that does not take anything in is told no more than some progress, and the latest when it goes on")
    func stopped() {
        let other = Other()
        let outlet = other.outlet
        for bytes in 1...10_000 { outlet.tell(key, progress(Int64(bytes))) }
        #expect(other.told.count < 200)
        let before = other.told.count
        other.goOn()
        #expect(Array(other.told[before...]) == [progress(10_000)])
        // The sink then behaves as at the start.
        outlet.tell(key, progress(10_001))
        #expect(other.told.last == progress(10_001))
    }

    @Test("What is no progress is told in any case, after the progress of its task that was held back")
    func other() {
        let other = Other()
        let outlet = other.outlet
        for bytes in 1...1000 { outlet.tell(key, progress(Int64(bytes))) }
        for bytes in 1...1000 { outlet.tell(key, progress(Int64(bytes), task: 2)) }
        let before = other.told.count
        let end = SessionEvent(number: 8, task: 1, .completed(nil))
        outlet.tell(key, end)
        outlet.tell(key, SessionEvent(.finishedEvents))
        #expect(Array(other.told[before...]) == [progress(1000), end, SessionEvent(.finishedEvents)])
        other.goOn()
        #expect(other.told.last == progress(1000, task: 2))
    }

    @Test("A process that keeps up is told everything")
    func keepingUp() {
        let other = Other()
        let outlet = other.outlet
        for bytes in 1...1000 {
            outlet.tell(key, progress(Int64(bytes)))
            other.goOn()
        }
        #expect(other.told == (1...1000).map { progress($0) })
    }

    @Test("C7: a process that takes nothing in is told only so much, and everything again when it goes on")
    func bounded() {
        let other = Other()
        let outlet = other.outlet
        for number in 1...10_000 {
            outlet.tell(key, SessionEvent(number: Int64(number), task: number, .completed(nil)))
        }
        #expect(other.told.count < 2000)
        outlet.tell(key, SessionEvent(.invalidated(nil)))
        #expect(other.told.last?.kind == .invalidated(nil))
        #expect(other.content.withLock(\.again) == 0)
        other.goOn()
        #expect(other.content.withLock(\.again) == 1)
        // The sink then behaves as at the start.
        outlet.tell(key, progress(1))
        #expect(other.told.last == progress(1))
    }
}
