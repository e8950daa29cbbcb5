// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import RawBus
import Testing

@Suite(
    "Files of sandboxed apps in the daemon's folder",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"),
    .enabled(if: SandboxRoot.unavailabilityReason == nil, "\(SandboxRoot.unavailabilityReason ?? "")"))
struct CachedDownloadTests {
    private func submit(_ url: String, by caller: HostileProcess) async throws -> HostileReply {
        let transfer = WireValue.dictionary([("url", .string(url)), ("name", .string("file"))])
        return try await caller.manager("Submit", [.array(of: "a{sv}", [transfer])])
    }

    /// Submits a download without a folder and waits for the end of the transfer.
    private func fetch(_ url: String, by caller: HostileProcess, _ control: Transferctl) async throws -> Int64 {
        let reply = try await submit(url, by: caller)
        guard let id = reply.value?.members.first?.number else { throw FixtureError("Submit: \(reply)") }
        #expect(try await control.run(["wait", "\(id)"]).status == 0)
        return id
    }

    /// The number of bytes that count toward the app's quota.
    private func countedBytes(of caller: HostileProcess) async throws -> Int64? {
        try await caller.manager("Apps").value?.members.first?["counted-bytes"]?.number
    }

    @Test("C2, C5: a finished file counts toward the app's quota until the app discards it")
    func quota() async throws {
        let nginx = try await NginxServer()
        try nginx.serve("file", bytes: 100_000)
        try await HostileFixture.with(settings: "files-per-app = 150000\n") { fixture in
            let control = try Transferctl(environment: ["DBUS_SESSION_BUS_ADDRESS": fixture.address])
            let caller = try await fixture.sandboxedCaller()
            let first = try await fetch(nginx.url("file"), by: caller, control)
            #expect(try await countedBytes(of: caller) == 100_000)
            let second = try await fetch(nginx.url("file"), by: caller, control)
            #expect(try await countedBytes(of: caller) == 200_000)
            let refused = try await submit(nginx.url("file"), by: caller)
            #expect(refused.error == "LimitExceeded", "\(refused)")
            #expect(refused.text.contains("150000") && refused.text.contains("Discard"), "\(refused)")

            // No other app reaches the file. An app that chose its own folder has nothing to discard.
            let other = try await fixture.sandboxedCaller("org.example.OtherSandbox")
            #expect(try await other.manager("Discard", [.int64(first)]).error == "NoSuchTransfer")
            await other.end()

            #expect(try await caller.manager("Discard", [.int64(first)]).error == nil)
            #expect(try await countedBytes(of: caller) == 100_000)
            #expect(try await caller.manager("Open", [.int64(first)]).error == "InvalidArgument")
            #expect(try await caller.manager("Open", [.int64(second)]).error == nil)
            // Discarding a removed file again is no error.
            #expect(try await caller.manager("Discard", [.int64(first)]).error == nil)
            #expect(try await countedBytes(of: caller) == 100_000)
            let third = try await fetch(nginx.url("file"), by: caller, control)
            #expect(try await caller.manager("Discard", [.int64(third)]).error == nil)
            #expect(try await caller.manager("Discard", [.int64(second)]).error == nil)
            let folder = fixture.folder.path + "/cache/transferd/" + HostileFixture.sandboxedApp
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
            #expect(try await fixture.damage() == [])
            await caller.end()
        }
    }

    @Test("The daemon does not remove a file from a folder that its app chose; C2")
    func ownFolder() async throws {
        let nginx = try await NginxServer()
        try nginx.serve("file", bytes: 1000)
        try await HostileFixture.with { fixture in
            let control = try Transferctl(environment: ["DBUS_SESSION_BUS_ADDRESS": fixture.address])
            let caller = try await fixture.foreignCaller()
            let transfer = WireValue.dictionary([
                ("url", .string(nginx.url("file"))), ("directory", .string(fixture.folder.path + "/apps")),
            ])
            let reply = try await caller.manager("Submit", [.array(of: "a{sv}", [transfer])])
            let id = try #require(reply.value?.members.first?.number)
            #expect(try await control.run(["wait", "\(id)"]).status == 0)
            #expect(try await caller.manager("Discard", [.int64(id)]).error == "InvalidArgument")
            #expect(FileManager.default.fileExists(atPath: fixture.folder.path + "/apps/file"))
            await caller.end()
        }
    }
}
