// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

@Suite("What a process remembers of the daemon")
struct DaemonChannelTests {
    @Test("E4: an event that comes again is told once; what was dealt with is acknowledged again")
    func ledger() {
        var ledger = EventLedger()
        #expect(ledger.take(8) == .tell)
        #expect(ledger.take(9) == .tell)
        // The daemon restarts and sends its events again.
        #expect(ledger.take(8) == .drop)
        ledger.acknowledge(8)
        #expect(ledger.take(8) == .acknowledgeAgain)
        #expect(ledger.take(9) == .drop)
        #expect(ledger.take(16) == .tell)
        // Events without a number, such as progress and questions, are always delivered.
        #expect(ledger.take(nil) == .tell)
        #expect(ledger.take(nil) == .tell)
    }

    @Test("The daemon is looked for ever more seldom, and not for ever")
    func trouble() {
        var trouble = LinkedSession.Trouble()
        var now = ContinuousClock.now
        let start = now
        var pauses: [Duration] = []
        while pauses.count < 100, let pause = trouble.note(at: now, limit: .seconds(60)) {
            pauses.append(pause)
            now += pause
        }
        #expect(pauses.prefix(4) == [.zero, .milliseconds(100), .milliseconds(200), .milliseconds(400)])
        #expect(pauses.max() == .seconds(10))
        #expect(now - start > .seconds(40) && now - start < .seconds(60))
        trouble.end()
        #expect(trouble.note(at: now, limit: .seconds(60)) == .zero)
    }

    @Test("Nobody waits longer than it was said, and only the first answer counts")
    func blocking() {
        let answer = BlockingAnswer<Int>()
        #expect(answer.wait(atMost: .milliseconds(1)) == nil)
        answer.give(1)
        answer.give(2)
        #expect(answer.wait(atMost: .seconds(100)) == 1)
    }
}
