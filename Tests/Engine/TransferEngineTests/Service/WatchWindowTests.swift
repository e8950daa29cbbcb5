// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import TransferEngine

@Suite("The watch window")
struct WatchWindowTests {
    private func ids(_ range: ClosedRange<Int64>) -> [TransferID] { range.map { TransferID($0) } }

    @Test("The window contains the first unfinished transfers; an ended one makes room for the next")
    func moves() {
        let window = WatchWindow(size: 3)
        #expect(window.add(ids(1...2)) == ids(1...2))
        #expect(window.add(ids(3...6)) == ids(3...3))
        #expect(window.ended(TransferID(2)) == ids(4...4))
        // Transfer 5 ended before its turn, so it is never watched.
        #expect(window.ended(TransferID(5)).isEmpty)
        #expect(window.ended(TransferID(1)) == ids(6...6))
        #expect(window.ended(TransferID(3)).isEmpty)
        #expect(window.add(ids(7...9)) == ids(7...7))
    }

    @Test("A transfer that ends before it is added is not watched")
    func endedFirst() {
        let window = WatchWindow(size: 2)
        #expect(window.ended(TransferID(1)).isEmpty)
        #expect(window.add(ids(1...3)) == ids(2...3))
    }
}
