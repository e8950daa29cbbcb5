// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferTesting

@Suite("A new URL for a transfer", .timeLimit(.minutes(5))) struct NewLocationTests {
    private static func change(_ url: String, _ credential: Credential? = nil) -> TransferChange {
        var change = TransferChange()
        change.location = NewLocation(url: url, credential: credential, host: "other", isLoopback: false)
        return change
    }

    private static func secretive() -> TransferSpecification {
        var specification = EngineFixture.specification()
        specification.headers = [
            HeaderField(name: "Cookie", value: "a=b"), HeaderField(name: "X-Key", value: "k"),
            HeaderField(name: "User-Agent", value: "me"),
        ]
        specification.credential = Credential(user: "u", password: "p")
        specification.mirrors = ["http://mirror/f"]
        return specification
    }

    @Test("A running attempt is stopped and continues its bytes at the new URL, without the old server's secrets")
    func running() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(Self.secretive())
            #expect(await updates.next() == "1 started 1")
            fixture.executor.checkpoint(id, at: 10)
            try await fixture.engine.change(id, Self.change("http://other/file?key=1"))
            #expect(await updates.next() == "1 started 2")
            let specification = try #require(fixture.executor.specification(of: id))
            #expect(specification.url == "http://other/file?key=1" && specification.traits.host == "other")
            #expect(specification.headers == [HeaderField(name: "User-Agent", value: "me")])
            #expect(specification.credential == nil)
            #expect(fixture.disk.transfers.first?.resume?.offset == 10)
            // The same server keeps what was meant for it, and a password that is given again is sent.
            let login = Credential(user: "new", password: "q")
            try await fixture.engine.change(id, Self.change("http://other/file?key=2", login))
            try await fixture.engine.change(id, Self.change("http://other/file?key=3"))
            #expect(fixture.disk.transfers.first?.specification.credential == login)
        }
        #expect(fixture.executor.faults == [])
    }

    @Test("The wait after a failure ends, and a paused transfer stays paused")
    func waiting() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            #expect(await updates.next() == "1 started 1")
            fixture.executor.fail(id, .connection)
            #expect(await updates.next()?.hasPrefix("1 retrying") == true)
            try await fixture.engine.change(id, Self.change("http://other/file"))
            #expect(await updates.next() == "1 started 2")
            try await fixture.engine.control([id], .pause)
            #expect(await updates.next()?.hasPrefix("1 stopped suspended") == true)
            try await fixture.engine.change(id, Self.change("http://other/again"))
            try await fixture.waitForInbox()
            #expect(fixture.executor.running == [])
            #expect(fixture.disk.transfers.first?.isSuspended == true)
        }
    }

    @Test("An encrypted URL does not become an unencrypted one, and an upload keeps its URL")
    func refused() async throws {
        let fixture = EngineFixture(conditions: EngineFixture.goodConditions(power: .battery))
        try await fixture.run { _ in
            var specification = EngineFixture.specification(.discretionary)
            specification.url = "HTTPS://127.0.0.1/file"
            let id = try await fixture.engine.submit(specification)
            await #expect(throws: TransferChangeError.urlIsInsecure) {
                try await fixture.engine.change(id, Self.change("http://127.0.0.1/file"))
            }
            try await fixture.engine.change(id, Self.change("https://127.0.0.1/other"))
            let upload = try await fixture.engine.submit(
                TransferSpecification(
                    url: "http://h/", upload: UploadSource(path: "/f", size: 1, modified: 1),
                    traits: TransferTraits(kind: .discretionary)))
            await #expect(throws: TransferChangeError.urlIsNotOfDownload) {
                try await fixture.engine.change(upload, Self.change("http://127.0.0.1/other"))
            }
        }
    }

    @Test("A new transfer continues the bytes of an earlier one")
    func continued() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let resume = ResumePoint(path: "/p", offset: 10, total: 20, validator: nil, bootID: "b")
            let new = NewTransfer(EngineFixture.specification(), resume: resume)
            let id = try await fixture.engine.submit([new])[0]
            #expect(await updates.next() == "1 started 1")
            #expect(fixture.executor.log.first == .start(id, offset: 10))
        }
    }
}
