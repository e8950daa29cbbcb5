// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

struct TaskLedgerTests {
    private func state(_ tasks: Int..., over: Set<Int> = []) -> SessionState {
        let snapshots = tasks.map { number in
            var task = TaskSnapshot(
                identifier: number, kind: .download, request: RequestDescription(url: "http://h/"))
            task.isOver = over.contains(number)
            return task
        }
        return SessionState(nextTask: 1, tasks: snapshots)
    }

    @Test("E4: what the daemon has no more, and has not told the end of, is lost; and that is told once")
    func lost() {
        var ledger = TaskLedger()
        #expect(ledger.take(state(1, 2)).isEmpty)
        ledger.begin(3)
        ledger.begin(4)
        ledger.end(1)
        #expect(ledger.take(state(3)) == [2, 4])
        #expect(ledger.take(state()) == [3])
        #expect(ledger.take(state()).isEmpty)
    }

    @Test("E4: what is over, and waits for the program's word only, is not lost once that has come")
    func over() {
        var ledger = TaskLedger()
        #expect(ledger.take(state(1, 2, over: [1])).isEmpty)
        #expect(ledger.take(state(2, over: [2])).isEmpty)
        #expect(ledger.take(state()).isEmpty)
    }
}
