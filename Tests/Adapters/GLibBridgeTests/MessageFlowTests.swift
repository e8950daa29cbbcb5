// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GLibBridge

@Suite("C5, C7: message flow control")
struct MessageFlowTests {
    @Test("The calls of a connection are limited in number and size until they are answered")
    func calls() {
        var limits = MessageFlow.Limits()
        (limits.calls, limits.callBytes, limits.largestCall) = (3, 1000, 500)
        var flow = MessageFlow(limits: limits)
        #expect(flow.receive(1, bytes: 501, from: ":1") == .tooLarge(bytes: 501))
        for serial in UInt32(1)...3 { #expect(flow.receive(serial, bytes: 10, from: ":1") == .admitted) }
        #expect(flow.receive(4, bytes: 10, from: ":1") == .tooMany(calls: 3))
        #expect(flow.receive(4, bytes: 10, from: ":2") == .admitted)
        flow.markReplied(2, of: ":1")
        flow.markReplied(2, of: ":1")
        #expect(flow.receive(5, bytes: 500, from: ":1") == .admitted)
        flow.markReplied(1, of: ":1")
        #expect(flow.receive(6, bytes: 500, from: ":1") == .tooMuch(bytes: 510))
        flow.forget(":1")
        #expect(flow.receive(6, bytes: 500, from: ":1") == .admitted)
    }

    @Test("The total size of all calls is limited, and a closed connection frees its share")
    func together() {
        var limits = MessageFlow.Limits()
        limits.allCallBytes = 100
        var flow = MessageFlow(limits: limits)
        #expect(flow.receive(1, bytes: 60, from: ":1") == .admitted)
        #expect(flow.receive(1, bytes: 60, from: ":2") == .tooMuch(bytes: 0))
        flow.forget(":1")
        #expect(flow.receive(1, bytes: 60, from: ":2") == .admitted)
        flow.markReplied(1, of: ":2")
        #expect(flow.receive(2, bytes: 100, from: ":3") == .admitted)
    }

    @Test("A connection must confirm regularly that it reads, and is stalled until it does")
    func unread() {
        var limits = MessageFlow.Limits()
        (limits.unconfirmed, limits.confirmationInterval, limits.calls) = (100, 10, 2)
        var flow = MessageFlow(limits: limits)
        let isConfirmationDue = (1...150).map { _ in flow.send(bytes: 1, to: ":1") }
        #expect(isConfirmationDue.enumerated().filter(\.element).map(\.offset) == [9])
        #expect(flow.isStalled(":1") && !flow.isStalled(":2"))
        // The calls of the stalled connection wait, up to the limit. Further calls get no error, because the
        // connection would not read it.
        #expect((1...3).map { flow.receive($0, bytes: 1, from: ":1") } == [.admitted, .admitted, .ignored])
        // The connection has read ten messages, which is still too few. No message is sent that could ask it again.
        #expect(flow.confirm(":1") == .requestAgain)
        #expect(flow.isStalled(":1"))
        #expect(flow.confirm(":1") == .resumed)
        #expect(!flow.isStalled(":1"))
        #expect(flow.confirm(":1") == .none)
        #expect(flow.receive(3, bytes: 1, from: ":1") == .tooMany(calls: 2))
    }

    @Test("A few large messages stall a connection as well")
    func large() {
        var flow = MessageFlow()
        let limit = flow.limits.unconfirmedBytes
        let isDue = flow.send(bytes: limit / 2, to: ":1")
        #expect(isDue)
        #expect(!flow.isStalled(":1"))
        _ = flow.send(bytes: limit / 2, to: ":1")
        #expect(flow.isStalled(":1"))
        flow.forget(":1")
        #expect(!flow.isStalled(":1"))
    }

    @Test("A program that blocks in each call may go without confirmation for a long time")
    func blocking() {
        var limits = MessageFlow.Limits()
        (limits.unconfirmed, limits.confirmationInterval, limits.blocking) = (10, 5, 50)
        var flow = MessageFlow(limits: limits)
        for serial in UInt32(1)...50 {
            #expect(flow.receive(serial, bytes: 1, from: ":1") == .admitted)
            let isDue = flow.reply(to: serial, bytes: 1, of: ":1")
            #expect(!isDue)
        }
        #expect(flow.receive(51, bytes: 1, from: ":1") == .unconfirmed(replies: 50))
        // Answers to several simultaneous calls do not count as answers to calls in sequence.
        for serial in UInt32(1)...9 { _ = flow.receive(serial, bytes: 1, from: ":2") }
        let isConfirmationDue = (UInt32(1)...9).map { flow.reply(to: $0, bytes: 1, of: ":2") }
        #expect(isConfirmationDue.contains(true))
    }
}
