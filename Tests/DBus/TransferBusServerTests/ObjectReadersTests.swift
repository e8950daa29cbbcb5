// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol

@testable import TransferBusServer

@Suite struct ObjectReadersTests {
    @Test("Only what differs from what was told last is told")
    func changes() {
        var readers = ObjectReaders()
        #expect(readers.note(["State": .string("waiting"), "Bytes": .integer(0)]) == [:])
        #expect(
            readers.changes(to: ["State": .string("running"), "Bytes": .integer(0)]) == ["State": .string("running")])
        #expect(readers.changes(to: ["State": .string("running")]) == [:])
    }

    @Test("What was told while an answer was made is told again after it, since the answer is older")
    func missed() {
        var readers = ObjectReaders()
        _ = readers.changes(to: ["State": .string("running"), "Bytes": .integer(5)])
        let missed = readers.note([
            "State": .string("waiting"), "Bytes": .integer(5), "Constraints": .dictionary([:]),
        ])
        #expect(missed == ["State": .string("running")])
        // A property whose changes are never signaled cannot be missed.
        #expect(readers.note(["Constraints": .dictionary(["power": .string("ac")])]) == [:])
        #expect(readers.changes(to: ["State": .string("running")]) == [:])
    }
}
