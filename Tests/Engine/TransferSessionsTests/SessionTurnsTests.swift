// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferSessions

@Suite struct SessionTurnsTests {
    /// An actor whose calls wait, in their turns, until the test lets them go on.
    private actor Desk {
        private let turns = SessionTurns()
        private(set) var lines: [String] = []
        private var paused: [CheckedContinuation<Void, Never>] = []

        /// Starts calls of these names, in their order.
        @discardableResult
        func start(_ names: [String], of session: String, failing: Bool = false) -> [Task<Void, any Error>] {
            names.map { name in Task { try await call(name, of: session, failing: failing) } }
        }

        private func call(_ name: String, of session: String, failing: Bool) async throws {
            try await turns.inTurn(of: SessionKey(app: "a", identifier: session)) {
                lines.append("\(name) begins")
                await withCheckedContinuation { paused.append($0) }
                if failing { throw CancellationError() }
                lines.append("\(name) ends")
            }
        }

        /// Lets the call go on that has waited the longest, once there is one.
        func goOn() async throws {
            try await wait { !paused.isEmpty }
            try #require(!paused.isEmpty)
            paused.removeFirst().resume()
        }

        /// Waits until so many lines are there.
        func wait(for count: Int) async throws { try await wait { lines.count >= count } }

        private func wait(until condition: () -> Bool) async throws {
            for _ in 0..<10_000 where !condition() { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    @Test("calls of a session run one after the other, in the order of their arrival")
    func order() async throws {
        let desk = Desk()
        let calls = await desk.start(["a", "b", "c"], of: "s")
        for _ in calls { try await desk.goOn() }
        for call in calls { try await call.value }
        #expect(
            await desk.lines == ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"])
        // The session is free again.
        await desk.start(["d"], of: "s")
        try await desk.wait(for: 7)
        #expect(await desk.lines.last == "d begins")
        try await desk.goOn()
    }

    @Test("a session does not wait for another session")
    func independent() async throws {
        let desk = Desk()
        await desk.start(["a"], of: "s")
        await desk.start(["b"], of: "t")
        try await desk.wait(for: 2)
        #expect(await desk.lines == ["a begins", "b begins"])
        for _ in 0..<2 { try await desk.goOn() }
    }

    @Test("a call that fails passes its turn on")
    func failing() async throws {
        let desk = Desk()
        let failing = await desk.start(["a"], of: "s", failing: true)
        await desk.start(["b"], of: "s")
        for _ in 0..<2 { try await desk.goOn() }
        await #expect(throws: CancellationError.self) { try await failing[0].value }
        try await desk.wait(for: 3)
        #expect(await desk.lines == ["a begins", "b begins", "b ends"])
    }
}
