// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferBusProtocol
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling

@testable import transferd

@Suite struct TransferBookTests {
    private static let time = Moment(
        instant: Instant.zero, wall: WallTime(secondsSinceEpoch: 1_700_000_000))

    private func specification(app: String = "a") -> TransferSpecification {
        TransferSpecification(
            url: "http://u:p@h/f?secret", destination: Destination(directory: "/d", name: nil),
            traits: TransferTraits(kind: .normal, host: "http://h:80", app: app, submitted: Self.time.wall))
    }

    private func update(_ id: Int64, _ kind: TransferUpdate.Kind) -> TransferUpdate {
        TransferUpdate(id: TransferID(id), time: Self.time, kind: kind)
    }

    private func apply(_ book: inout TransferBook, _ update: TransferUpdate) -> TransferStatus? { book.apply(update) }

    @Test("A transfer's life is followed to its end, and what is open is counted by app")
    func life() throws {
        var book = TransferBook()
        book.add(TransferID(1), specification())
        book.add(TransferID(2), specification(app: "b"))
        #expect((book.openCount(of: "a"), book.openCount(of: "b"), book.openCount(of: "c")) == (1, 1, 0))
        #expect(book.status(of: TransferID(1))?.state == .waiting)
        #expect(book.status(of: TransferID(1))?.url == "http://h/f")
        #expect(apply(&book, update(1, .started(attempt: 2)))?.state == .running)
        let told = apply(&book, update(1, .progressed(bytes: 5, total: 9, rate: 3)))
        let running = try #require(told)
        #expect((running.bytes, running.total, running.rate, running.attempt) == (5, 9, 3, 2))
        let none = Explanation(holds: [], remedies: [], nextLook: nil, isLate: false)
        var paused = none
        paused.holds = [Hold(.suspended, since: Self.time)]
        #expect(apply(&book, update(1, .paused(none, bytes: 6)))?.state == .waiting)
        #expect(apply(&book, update(1, .paused(paused, bytes: 6)))?.state == .paused)
        let failure = TransferFailure(cause: .connection, message: "gone")
        #expect(apply(&book, update(1, .retrying(paused, failure, bytes: 6)))?.state == .paused)
        #expect(apply(&book, update(1, .retrying(none, failure, bytes: 6)))?.state == .waiting)
        #expect(book.status(of: TransferID(1))?.error == "gone")
        let last = apply(&book, update(1, .failed(failure)))
        let end = try #require(last)
        #expect((end.state, end.errorCode, end.rate) == (.failed, failure.cause.code, nil))
        #expect(book.openCount(of: "a") == 0)
        #expect(book.status(of: TransferID(1)) == end)
        #expect(apply(&book, update(1, .started(attempt: 1))) == nil)
        #expect(apply(&book, update(3, .cancelled)) == nil)
    }

    @Test("One that ended before its number came back is not open for ever")
    func quickEnd() {
        var book = TransferBook()
        book.add(TransferID(1), specification())
        _ = book.apply(update(1, .cancelled))
        book.add(TransferID(1), specification())
        #expect(book.openCount(of: "a") == 0)
    }

    @Test("What the store has stands as it was left")
    func stored() {
        var book = TransferBook()
        var transfer = StoredTransfer(
            id: TransferID(4), specification: specification(),
            resume: ResumePoint(path: "/p", offset: 10, total: 20, validator: nil, bootID: "b"), isSuspended: true)
        book.add(transfer)
        #expect(book.status(of: TransferID(4))?.state == .paused)
        #expect(book.status(of: TransferID(4))?.bytes == 10)
        transfer.id = TransferID(5)
        transfer.ending = .cancelled
        book.add(transfer)
        #expect(book.status(of: TransferID(5))?.state == .cancelled)
        #expect(book.openCount(of: "a") == 1)
    }
}
