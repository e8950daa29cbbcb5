// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferBusProtocol

@testable import TransferBusServer

@Suite struct CallQueueTests {
    @Test("The number of concurrent calls of an app is limited, in order, without delaying other apps")
    func turns() {
        var queue = CallQueue<Int>()
        let most = CallQueue<Int>.maximumConcurrent
        #expect((0..<1000).compactMap { queue.add($0, of: "a") } == Array(0..<most))
        #expect(queue.add(1, of: "b") == 1)
        #expect((most..<1000).map { _ in queue.end(of: "a") } == (most..<1000).map(Optional.some))
        #expect(queue.end(of: "a") == nil)
        #expect(queue.add(7, of: "a") == 7)
        for _ in 0..<most { #expect(queue.end(of: "a") == nil) }
        // The queue keeps nothing for an app without calls.
        #expect(queue.end(of: "a") == nil)
        #expect((0..<most).compactMap { queue.add($0, of: "a") }.count == most)
    }
}
