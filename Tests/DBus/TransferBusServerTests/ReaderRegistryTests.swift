// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol

@testable import TransferBusServer

@Suite struct ReaderRegistryTests {
    private let path = "/org/transferd/transfer/1"
    private let running: [String: VariantValue] = ["State": .string("running")]

    @Test("Who has read an object is told of its changes, in the order of the names, and nobody else is")
    func changes() throws {
        var readers = ReaderRegistry()
        for name in [":1.9", ":1.7"] {
            try readers.begin(name, of: path)
            #expect(readers.end(name, of: path, answer: ["State": .string("waiting")]) == [:])
        }
        let changed = readers.changes(of: path, to: running)
        #expect(changed.properties == running)
        #expect(changed.readers == [":1.7", ":1.9"])
        #expect(readers.told(":1.7", of: path) == running)
        #expect(readers.told(":1.8", of: path) == nil)
        // Unchanged properties have no readers to notify, and neither has an object that was never read.
        #expect(readers.changes(of: path, to: running).readers == [])
        #expect(readers.changes(of: "/other", to: running).readers == [])
    }

    @Test("A change that is told while an answer is made is told again after the answer, which is older")
    func changedMeanwhile() throws {
        var readers = ReaderRegistry()
        try readers.begin(":1.7", of: path)
        #expect(readers.changes(of: path, to: running).readers == [":1.7"])
        #expect(readers.end(":1.7", of: path, answer: ["State": .string("waiting")]) == running)
    }

    @Test("Nobody is kept who was refused, who has gone, or whose object is over and answered")
    func forgotten() throws {
        var readers = ReaderRegistry()
        try readers.begin(":1.7", of: path)
        #expect(readers.end(":1.7", of: path, answer: nil) == [:])
        #expect(readers.isEmpty)
        try readers.begin(":1.7", of: path)
        readers.forget(":1.7")
        // The object stays registered while its answer is pending.
        #expect(readers.isRead(path))
        #expect(readers.end(":1.7", of: path, answer: running) == [:])
        #expect(readers.isEmpty)
        try readers.begin(":1.7", of: path)
        readers.setOver(path)
        #expect(readers.isRead(path))
        _ = readers.end(":1.7", of: path, answer: running)
        #expect(readers.isEmpty)
    }

    @Test("C5: a connection reads as many objects as it may, each counted once, and those that are over no longer")
    func limits() throws {
        var readers = ReaderRegistry()
        for number in 1...CallerLimits.readObjects {
            #expect(readers.mayGuess(":1.7") == (number <= CallerLimits.guessedSessions))
            try readers.begin(":1.7", of: "/\(number)")
            _ = readers.end(":1.7", of: "/\(number)", answer: running)
        }
        try readers.begin(":1.7", of: "/1")
        _ = readers.end(":1.7", of: "/1", answer: running)
        let fault = #expect(throws: BusFault.self) { try readers.begin(":1.7", of: "/more") }
        #expect(fault?.code == .limitExceeded)
        try readers.begin(":1.8", of: "/more")
        readers.setOver("/1")
        try readers.begin(":1.7", of: "/more")
    }
}
