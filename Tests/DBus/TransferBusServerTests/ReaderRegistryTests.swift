// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol

@testable import TransferBusServer

@Suite struct ReaderRegistryTests {
    private let path = "/org/transferd/transfer/1"
    private let running: [String: VariantValue] = ["State": .string("running")]

    @Test("Only the readers of an object receive its changes, ordered by name")
    func changes() throws {
        var readers = ReaderRegistry()
        for name in [":1.9", ":1.7"] {
            try readers.begin(name, of: path)
            #expect(readers.end(name, of: path, reply: ["State": .string("waiting")]) == [:])
        }
        let changed = readers.changes(of: path, to: running)
        #expect(changed.properties == running)
        #expect(changed.readers == [":1.7", ":1.9"])
        #expect(readers.lastReported(":1.7", of: path) == running)
        #expect(readers.lastReported(":1.8", of: path) == nil)
        // Unchanged properties have no readers to notify, and neither has an object that was never read.
        #expect(readers.changes(of: path, to: running).readers == [])
        #expect(readers.changes(of: "/other", to: running).readers == [])
    }

    @Test("A change reported during a read is reported again after the reply, which is older")
    func changedMeanwhile() throws {
        var readers = ReaderRegistry()
        try readers.begin(":1.7", of: path)
        #expect(readers.changes(of: path, to: running).readers == [":1.7"])
        #expect(readers.end(":1.7", of: path, reply: ["State": .string("waiting")]) == running)
    }

    @Test("Readers are removed if the read is refused, the connection closes, or the object has ended")
    func forgotten() throws {
        var readers = ReaderRegistry()
        try readers.begin(":1.7", of: path)
        #expect(readers.end(":1.7", of: path, reply: nil) == [:])
        #expect(readers.isEmpty)
        try readers.begin(":1.7", of: path)
        readers.forget(":1.7")
        // The object stays registered while its answer is pending.
        #expect(readers.isRead(path))
        #expect(readers.end(":1.7", of: path, reply: running) == [:])
        #expect(readers.isEmpty)
        try readers.begin(":1.7", of: path)
        readers.markEnded(path)
        #expect(readers.isRead(path))
        _ = readers.end(":1.7", of: path, reply: running)
        #expect(readers.isEmpty)
    }

    @Test("C5: the number of objects that a connection reads is limited, and ended objects do not count")
    func limits() throws {
        var readers = ReaderRegistry()
        for number in 1...CallerLimits.readObjects {
            #expect(readers.mayReadUnknownSession(":1.7") == (number <= CallerLimits.guessedSessions))
            try readers.begin(":1.7", of: "/\(number)")
            _ = readers.end(":1.7", of: "/\(number)", reply: running)
        }
        try readers.begin(":1.7", of: "/1")
        _ = readers.end(":1.7", of: "/1", reply: running)
        let fault = #expect(throws: BusFault.self) { try readers.begin(":1.7", of: "/more") }
        #expect(fault?.code == .limitExceeded)
        try readers.begin(":1.8", of: "/more")
        readers.markEnded("/1")
        try readers.begin(":1.7", of: "/more")
    }
}
