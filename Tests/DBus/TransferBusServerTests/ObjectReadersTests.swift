// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol

@testable import TransferBusServer

@Suite struct ObjectReadersTests {
    @Test("Only properties that differ from the last report are reported")
    func changes() {
        var readers = ObjectReaders()
        #expect(readers.record(["State": .string("waiting"), "Bytes": .integer(0)]) == [:])
        #expect(
            readers.changes(to: ["State": .string("running"), "Bytes": .integer(0)]) == ["State": .string("running")])
        #expect(readers.changes(to: ["State": .string("running")]) == [:])
    }

    @Test("A change reported during a read is reported again after the reply, which is older")
    func missed() {
        var readers = ObjectReaders()
        _ = readers.changes(to: ["State": .string("running"), "Bytes": .integer(5)])
        let missed = readers.record([
            "State": .string("waiting"), "Bytes": .integer(5), "Constraints": .dictionary([:]),
        ])
        #expect(missed == ["State": .string("running")])
        // A property whose changes are never signaled cannot be missed.
        #expect(readers.record(["Constraints": .dictionary(["power": .string("ac")])]) == [:])
        #expect(readers.changes(to: ["State": .string("running")]) == [:])
    }
}
