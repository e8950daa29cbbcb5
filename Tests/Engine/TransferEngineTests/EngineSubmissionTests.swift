// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@Suite("Submissions without a host and a date", .timeLimit(.minutes(5)))
struct EngineSubmissionTests {
    private static func specification(
        _ url: String = "https://example.org/f", directory: String = "/d"
    ) -> TransferSpecification {
        TransferSpecification(url: url, destination: Destination(directory: directory, name: nil))
    }

    @Test("The engine fills in the host and the date before it saves a transfer", arguments: [true, false])
    func completes(hasConditions: Bool) async throws {
        let fixture = EngineFixture(conditions: hasConditions ? EngineFixture.goodConditions() : nil)
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(Self.specification())
            let stored = try #require(fixture.disk.transfers.first { $0.id == id })
            #expect(stored.specification.traits.host == "https://example.org:443")
            #expect(stored.specification.traits.submitted == EngineFixture.start.wall)
            if !hasConditions { fixture.source.send(EngineFixture.goodConditions()) }
            #expect(await updates.next() == "\(id) started 1")
        }
    }

    @Test("A host and a date that the caller has set are kept")
    func keeps() async throws {
        let fixture = EngineFixture()
        try await fixture.run { _ in
            var specification = Self.specification()
            (specification.traits.host, specification.traits.submitted) = ("mine", WallTime(secondsSinceEpoch: 1))
            _ = try await fixture.engine.submit(specification)
            #expect(fixture.disk.transfers.map(\.specification) == [specification])
        }
    }

    @Test(
        "A transfer without a server or an absolute folder is refused, and the error names neither password nor query",
        arguments: [
            ("ftp://u:secret@h/f?secret", "/d", "http"), ("file:///etc/passwd", "/d", "http"),
            ("https://example.org/f", "files", "'files' must be an absolute path"),
            ("https://example.org/f", "", "'' must be an absolute path"),
        ])
    func refused(url: String, directory: String, reason: String) async throws {
        let fixture = EngineFixture()
        try await fixture.run { _ in
            let error = await #expect(throws: RefusedTransferError.self) {
                try await fixture.engine.submit(Self.specification(url, directory: directory))
            }
            #expect(error?.reason.contains(reason) == true)
            #expect(error?.description.contains("secret") == false)
            #expect(fixture.disk.transfers.isEmpty)
        }
    }
}
