// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import SessionLogic

@Suite("The process that receives a session's events")
struct SessionAudienceTests {
    private static let user = ClientProcess(name: "P", process: 1, app: "x")

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

    @Test("waiting events are in the order of the ends, then the challenges; the next opening has none")
    func opening() {
        var tasks = Self.table([1: 9, 2: 4, 3: nil])
        tasks.update(3) { $0.unansweredEvent = .willBegin($0.record.snapshot.request) }
        var audience = SessionAudience()
        #expect(Self.lines(audience.open(by: Self.user, tasks)) == ["end 2", "end 1", "begin? 3", "finished"])
        audience.leave(isGone: false, TaskTable())
        #expect(audience.user == nil)
        #expect(Self.lines(audience.open(by: Self.user, TaskTable())) == [])
    }

    @Test(
        "the last end calls an app in the background and sends 'finished'; in front, only if events had waited"
    )
    func lastEnd() {
        let tasks = Self.table([1: 1])
        var behind = SessionAudience()
        _ = behind.open(by: Self.user, TaskTable())
        #expect(Self.lines(behind.newEndEvents(of: 1, tasks, isInBackground: true)) == ["called", "end 1", "finished"])
        #expect(Self.lines(behind.newEndEvents(of: 1, tasks, isInBackground: false)) == ["end 1"])
        let unfinished = Self.table([1: 1, 2: nil])
        #expect(Self.lines(behind.newEndEvents(of: 1, unfinished, isInBackground: true)) == ["end 1"])
    }

    @Test("events without a process are followed by 'finished' at the next opening, once")
    func whileGone() {
        var audience = SessionAudience()
        audience.recordEvent()
        #expect(Self.lines(audience.open(by: Self.user, TaskTable())) == ["finished"])
        audience.recordEvent()
        #expect(Self.lines(audience.waitingEvents(of: TaskTable())) == [])
        audience.leave(isGone: true, Self.table([1: 1]))
        #expect(Self.lines(audience.open(by: Self.user, TaskTable())) == ["finished"])
    }
}
