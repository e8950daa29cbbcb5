// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferModel
import TransferPolicy

@testable import transferd

@Suite("Waiting until transfers are over")
struct EndWaitingTests {
    /// Somebody who waits, and whether that is over.
    private final class Waiter: Sendable {
        private let over = Mutex(false)
        var isOver: Bool { over.withLock { $0 } }

        func wait(telling continuations: AsyncStream<CheckedContinuation<Void, Never>>.Continuation) async {
            await withCheckedContinuation { continuations.yield($0) }
            over.withLock { $0 = true }
        }
    }

    @Test("it is over with the last of them, and only then")
    func last() async throws {
        let waiter = Waiter()
        let (stream, continuations) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
        let task = Task { await waiter.wait(telling: continuations) }
        var iterator = stream.makeAsyncIterator()
        let continuation = try #require(await iterator.next())
        var waiting = EndWaiting()
        waiting.add([TransferID(1), TransferID(2)], continuation)
        waiting.noteEnd(of: TransferID(2))
        waiting.noteEnd(of: TransferID(3))
        for _ in 0..<100 { await Task.yield() }
        #expect(!waiter.isOver)
        waiting.noteEnd(of: TransferID(1))
        await task.value
        #expect(waiter.isOver)
    }

    @Test("nobody waits for none, nor when nothing will end any more")
    func never() async {
        var waiting = EndWaiting()
        await withCheckedContinuation { waiting.add([], $0) }
        await withCheckedContinuation { continuation in
            waiting.add([TransferID(1)], continuation)
            waiting.end()
        }
        await withCheckedContinuation { waiting.add([TransferID(1)], $0) }
        #expect(waiting.isOver)
    }
}
