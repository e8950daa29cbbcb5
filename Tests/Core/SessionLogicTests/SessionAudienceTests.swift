// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import SessionLogic

@Suite("The process that hears of a session's tasks")
struct SessionAudienceTests {
    private static let user = SessionUser(name: "P", process: 1, app: "x")

    /// Returns a table with a task for each number. Tasks with an order have ended, in that order.
    private static func table(_ orders: [Int: Int64?]) -> TaskTable {
        var tasks = TaskTable()
        for (number, order) in orders {
            var record = TaskRecord(
                snapshot: TaskSnapshot(
                    identifier: number, kind: .download, request: RequestDescription(url: "http://h/\(number)")))
            record.end = order.map { TaskEnd(order: $0, failure: .cancelled) }
            tasks.put(record)
        }
        return tasks
    }

    private static func lines(_ events: [SessionEvent]) -> [String] {
        events.map { event in
            switch event.kind {
            case .completed: "end \(event.task ?? 0)"
            case .willBegin: "begin? \(event.task ?? 0)"
            case .finishedEvents: "finished"
            case .called: "called"
            default: "other"
            }
        }
    }

    @Test("what waits is told in the order of the ends, questions after them; the next opening has no news")
    func opening() {
        var tasks = Self.table([1: 9, 2: 4, 3: nil])
        tasks.update(3) { $0.question = .willBegin($0.record.snapshot.request) }
        var audience = SessionAudience()
        #expect(Self.lines(audience.open(by: Self.user, tasks)) == ["end 2", "end 1", "begin? 3", "finished"])
        audience.leave(isGone: false, TaskTable())
        #expect(audience.user == nil)
        #expect(Self.lines(audience.open(by: Self.user, TaskTable())) == [])
    }

    @Test(
        "the last end calls an app in the background, and is finished there; in front it is finished if anything waited"
    )
    func lastEnd() {
        let tasks = Self.table([1: 1])
        var behind = SessionAudience()
        _ = behind.open(by: Self.user, TaskTable())
        #expect(Self.lines(behind.newEndEvents(of: 1, tasks, isBehind: true)) == ["called", "end 1", "finished"])
        #expect(Self.lines(behind.newEndEvents(of: 1, tasks, isBehind: false)) == ["end 1"])
        let unfinished = Self.table([1: 1, 2: nil])
        #expect(Self.lines(behind.newEndEvents(of: 1, unfinished, isBehind: true)) == ["end 1"])
    }

    @Test("what happens while nobody listens is followed by 'finished' at the next opening, once")
    func whileGone() {
        var audience = SessionAudience()
        audience.noteEvent()
        #expect(Self.lines(audience.open(by: Self.user, TaskTable())) == ["finished"])
        audience.noteEvent()
        #expect(Self.lines(audience.waitingEvents(of: TaskTable())) == [])
        audience.leave(isGone: true, Self.table([1: 1]))
        #expect(Self.lines(audience.open(by: Self.user, TaskTable())) == ["finished"])
    }
}
