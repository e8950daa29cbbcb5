// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

@Suite("State of the connection to the daemon")
struct DaemonChannelTests {
    @Test("E4: a repeated event is reported once; an acknowledged event is acknowledged again")
    func deduplicator() {
        var deduplicator = EventDeduplicator()
        #expect(deduplicator.receive(8) == .deliver)
        #expect(deduplicator.receive(9) == .deliver)
        // The daemon restarts and sends its events again.
        #expect(deduplicator.receive(8) == .drop)
        deduplicator.acknowledge(8)
        #expect(deduplicator.receive(8) == .acknowledgeAgain)
        #expect(deduplicator.receive(9) == .drop)
        #expect(deduplicator.receive(16) == .deliver)
        // Events without a number, such as progress and requests, are always delivered.
        #expect(deduplicator.receive(nil) == .deliver)
        #expect(deduplicator.receive(nil) == .deliver)
    }

    @Test("Reconnecting backs off, and ends after the limit")
    func backoff() {
        var backoff = LinkedSession.ReconnectBackoff()
        var now = ContinuousClock.now
        let start = now
        var pauses: [Duration] = []
        while pauses.count < 100, let pause = backoff.recordFailure(at: now, limit: .seconds(60)) {
            pauses.append(pause)
            now += pause
        }
        #expect(pauses.prefix(4) == [.zero, .milliseconds(100), .milliseconds(200), .milliseconds(400)])
        #expect(pauses.max() == .seconds(10))
        #expect(now - start > .seconds(40) && now - start < .seconds(60))
        backoff.end()
        #expect(backoff.recordFailure(at: now, limit: .seconds(60)) == .zero)
    }

    @Test("A wait ends at its limit, and only the first result counts")
    func blocking() {
        let answer = BlockingResult<Int>()
        #expect(answer.wait(atMost: .milliseconds(1)) == nil)
        answer.fulfill(1)
        answer.fulfill(2)
        #expect(answer.wait(atMost: .seconds(100)) == 1)
    }
}
