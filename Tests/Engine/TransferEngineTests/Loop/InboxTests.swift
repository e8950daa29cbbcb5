// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy
import TransferScheduling

@testable import TransferEngine
@testable import TransferModel

@Suite("The inbox", .timeLimit(.minutes(5)))
struct InboxTests {
    private static func number(_ message: Message) -> Int64? {
        if case .command(.cancelled(let id)) = message { id.rawValue } else { nil }
    }
    private static func message(_ number: Int64) -> Message { .command(.cancelled(TransferID(number))) }

    @Test("Receiving returns all messages in order, with messages that were put back first")
    func order() async {
        let inbox = Inbox()
        for number in Int64(1)...4 { inbox.put(Self.message(number)) }
        let all = await inbox.receive()
        #expect(all.map(Self.number) == [1, 2, 3, 4])
        inbox.put(Self.message(5))
        inbox.putBack(all[2...])
        #expect(await inbox.receive().map(Self.number) == [3, 4, 5])
    }

    @Test("A reader waits for the first message, and returns when the inbox is closed")
    func waiting() async {
        let inbox = Inbox()
        async let taken = inbox.receive()
        inbox.put(Self.message(7))
        #expect(await taken.map(Self.number) == [7])
        async let last = inbox.receive()
        inbox.close()
        #expect(await last.isEmpty)
    }

    @Test("A closed inbox still returns its messages and accepts no more")
    func closed() async {
        let inbox = Inbox()
        #expect(inbox.put(Self.message(1)))
        inbox.close()
        #expect(!inbox.put(Self.message(2)))
        #expect(await inbox.receive().map(Self.number) == [1])
        #expect(await inbox.receive().isEmpty)
    }
}
