// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@Suite("ByteBudgetBook")
struct ByteBudgetBookTests {
    private let now = WallTime(secondsSinceEpoch: 1_795_262_400)

    private func book() throws -> ByteBudgetBook {
        var book = ByteBudgetBook()
        book.connections["phone"] = try ByteBudget(limit: 100, billingDay: 1, at: now, localTime: .utc)
        book.apps["org.example.Photos"] = try ByteBudget(limit: 50, billingDay: 25, at: now, localTime: .utc)
        return book
    }

    @Test("A byte counts against its connection and its app, and the tighter budget decides")
    func both() throws {
        var book = try book()
        try book.charge(45, connection: "phone", app: "org.example.Photos", at: now, localTime: .utc)
        #expect(state(book, "phone", "org.example.Photos") == .near)
        #expect(state(book, "phone", "other") == .below)
        try book.charge(40, connection: "phone", app: "other", at: now, localTime: .utc)
        #expect(state(book, "phone", "other") == .near)
        #expect(book.remaining(connection: "phone", app: "org.example.Photos", at: now, localTime: .utc) == 5)
        try book.charge(5, connection: nil, app: "org.example.Photos", at: now, localTime: .utc)
        #expect(state(book, nil, "org.example.Photos") == .over)
        #expect(book.remaining(connection: "phone", app: "other", at: now, localTime: .utc) == 15)
    }

    @Test("Without a budget there is no state, and charging keeps no count")
    func none() throws {
        var book = ByteBudgetBook()
        try book.charge(5, connection: "phone", app: "app", at: now, localTime: .utc)
        #expect(book == ByteBudgetBook())
        #expect(state(book, "phone", "app") == nil)
        #expect(book.remaining(connection: "phone", app: "app", at: now, localTime: .utc) == nil)
        #expect(book.nextRollOver(after: now, localTime: .utc) == nil)
    }

    @Test("Fewer bytes than none change neither budget")
    func negative() throws {
        var book = try book()
        let before = book
        #expect(throws: ByteBudgetError.negativeBytes(-1)) {
            try book.charge(-1, connection: "phone", app: "org.example.Photos", at: now, localTime: .utc)
        }
        #expect(book == before)
    }

    @Test("The next roll-over is that of the budget which comes first, and the book survives being written down")
    func rollOverAndCoding() throws {
        var book = try book()
        try book.charge(45, connection: "phone", app: "org.example.Photos", at: now, localTime: .utc)
        // The rollover is at 2026-11-25 00:00.
        #expect(book.nextRollOver(after: now, localTime: .utc) == now.advanced(by: .seconds(3 * 86_400 + 43_200)))
        #expect(try JSONDecoder().decode(ByteBudgetBook.self, from: JSONEncoder().encode(book)) == book)
    }

    private func state(_ book: ByteBudgetBook, _ connection: String?, _ app: String) -> ByteBudget.State? {
        book.state(connection: connection, app: app, at: now, localTime: .utc)
    }

    @Test("Other limits keep what is spent of a budget that stays, and end those without a limit")
    func limited() throws {
        var book = try book()
        try book.charge(30, connection: "phone", app: "org.example.Photos", at: now, localTime: .utc)
        let limits = try ByteBudgetLimits(connections: ["phone": 40, "train": 7], apps: ["person": 0], billingDay: 10)
        let limited = try book.limited(to: limits, at: now, localTime: .utc)
        #expect(limited.connections.keys.sorted() == ["phone", "train"] && limited.apps.keys.sorted() == ["person"])
        #expect(limited.connections["phone"]?.used(at: now, localTime: .utc) == 30)
        #expect(limited.connections.values.allSatisfy { $0.billingDay == 10 })
        #expect(limited.remaining(connection: "phone", app: "", at: now, localTime: .utc) == 10)
        #expect(try limited.limited(to: limits, at: now, localTime: .utc) == limited)
        #expect(try limited.limited(to: ByteBudgetLimits(), at: now, localTime: .utc).isEmpty)
    }

    @Test("Limits that cannot be are refused when they are made")
    func wrongLimits() {
        #expect(throws: ByteBudgetError.negativeLimit(-1)) { try ByteBudgetLimits(connections: [:], apps: ["a": -1]) }
        #expect(throws: ByteBudgetError.billingDayOutOfRange(32)) {
            try ByteBudgetLimits(connections: [:], apps: [:], billingDay: 32)
        }
    }

    @Test("How budgets stand is told by name, the connections' first")
    func statuses() throws {
        var book = try book()
        try book.charge(45, connection: "phone", app: "org.example.Photos", at: now, localTime: .utc)
        let statuses = book.statuses(at: now, localTime: .utc)
        #expect(statuses.map(\.scope) == ["connection", "app"])
        #expect(statuses.map(\.name) == ["phone", "org.example.Photos"])
        #expect(statuses.map(\.limit) == [100, 50] && statuses.map(\.used) == [45, 45])
        #expect(statuses.map(\.state) == ["below", "near"])
        #expect(statuses[0].renewed == book.connections["phone"]?.nextRollOver(after: now, localTime: .utc))
    }
}
