// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

struct OpenTaskRegistryTests {
    private func state(_ tasks: Int..., finished: Set<Int> = []) -> SessionState {
        let snapshots = tasks.map { number in
            var task = TaskSnapshot(
                identifier: number, kind: .download, request: RequestDescription(url: "http://h/"))
            task.isEnded = finished.contains(number)
            return task
        }
        return SessionState(nextTask: 1, tasks: snapshots)
    }

    @Test("E4: a task that is gone from the daemon without an end is lost, and reported once")
    func lost() {
        var registry = OpenTaskRegistry()
        #expect(registry.receive(state(1, 2)).isEmpty)
        registry.begin(3)
        registry.begin(4)
        registry.end(1)
        #expect(registry.receive(state(3)) == [2, 4])
        #expect(registry.receive(state()) == [3])
        #expect(registry.receive(state()).isEmpty)
    }

    @Test("E4: an ended task that is gone after its acknowledgment is not lost")
    func finished() {
        var registry = OpenTaskRegistry()
        #expect(registry.receive(state(1, 2, finished: [1])).isEmpty)
        #expect(registry.receive(state(2, finished: [2])).isEmpty)
        #expect(registry.receive(state()).isEmpty)
    }
}
