// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import SessionLogic

@Suite("The tasks of a session")
struct TaskTableTests {
    private static func record(_ number: Int, end: Int64? = nil) -> TaskRecord {
        var record = TaskRecord(
            snapshot: TaskSnapshot(
                identifier: number, kind: .download, request: RequestDescription(url: "http://h/\(number)")))
        record.end = end.map { TaskEnd(order: $0, failure: .cancelled) }
        return record
    }

    @Test("counts follow additions, replacements, and removals")
    func counts() {
        var tasks = TaskTable()
        tasks.put(Self.record(2))
        tasks.put(Self.record(1))
        #expect(tasks.unfinished == [1, 2] && tasks.usage.tasks == 2)
        let bytes = tasks.usage.bytes
        tasks.put(Self.record(2, end: 7))
        #expect(tasks.unfinished == [1] && tasks.unfinishedCount == 1 && tasks.ends == [7: 2])
        #expect(tasks.usage.tasks == 2 && tasks.usage.bytes > bytes)
        #expect(tasks[unfinished: 2] == nil && tasks[2] != nil && tasks.waitingEventCount == 1)
        tasks.remove(2)
        tasks.remove(1)
        #expect(tasks.isEmpty && tasks.usage == TaskUsage() && tasks.ends.isEmpty && tasks.unfinishedCount == 0)
    }

    @Test("S10: a request that refuses expensive or constrained networks is unmetered; its body counts as bookkeeping")
    func requests() {
        var record = Self.record(1)
        let settings = SessionSettings(identifier: "s")
        #expect(record.constraints(by: settings).metered == .unstated)
        record.snapshot.request.allowsExpensiveNetworkAccess = false
        #expect(record.constraints(by: settings).metered == .unmetered)
        record.snapshot.request.allowsExpensiveNetworkAccess = nil
        record.snapshot.request.allowsConstrainedNetworkAccess = false
        #expect(record.constraints(by: settings).metered == .unmetered)
        let bytes = record.bookkeepingBytes
        record.snapshot.request.body = [1, 2, 3]
        #expect(record.bookkeepingBytes == bytes + 3)
        record.removeSecrets()
        #expect(record.snapshot.request.body == nil)
    }

    @Test("an app is needed for a request immediately, and for ends after the last task")
    func needsApp() {
        var tasks = TaskTable()
        tasks.put(Self.record(1))
        #expect(!tasks.needsApp)
        tasks.update(1) { $0.unansweredEvent = .willBegin($0.record.snapshot.request) }
        #expect(tasks.needsApp && tasks.awaitingReply == [1])
        tasks.update(1) { $0.unansweredEvent = nil }
        tasks.put(Self.record(2, end: 1))
        #expect(!tasks.needsApp && tasks.awaitingReply.isEmpty)
        tasks.put(Self.record(1, end: 2))
        #expect(tasks.needsApp)
    }

    @Test("an event is found by its number while its task exists")
    func find() throws {
        var tasks = TaskTable()
        let record = Self.record(5, end: 3)
        tasks.put(record)
        let number = try #require(record.end).number(0)
        #expect(tasks.find(number)?.task == 5)
        #expect(tasks.find(number + 1) == nil)
        tasks.remove(5)
        #expect(tasks.find(number) == nil)
    }
}
