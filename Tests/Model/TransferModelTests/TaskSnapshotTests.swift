// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel

@Suite("Snapshots of tasks")
struct TaskSnapshotTests {
    @Test("Rows of earlier versions, without a name and conditions, still decode")
    func earlierRows() throws {
        let row = """
            {"identifier":1,"kind":{"download":{}},"request":{"url":"http://h/","headers":{},"allowsCellularAccess":true},\
            "priority":0.25,"expectedToSend":-1,"expectedToReceive":-1,"isSuspended":false,"isOver":true,"received":5,"sent":0}
            """
        let snapshot = try JSONDecoder().decode(TaskSnapshot.self, from: Data(row.utf8))
        #expect(snapshot.isEnded && snapshot.received == 5 && snapshot.priority == 0.25)
        #expect(snapshot.name == nil && snapshot.conditions == nil)
    }
}
