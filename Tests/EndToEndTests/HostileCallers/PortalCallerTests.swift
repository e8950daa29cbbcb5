// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import RawBus
import Testing

@Suite(
    "Documents of the portal",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"),
    .enabled(if: SandboxRoot.unavailabilityReason == nil, "\(SandboxRoot.unavailabilityReason ?? "")"),
    .enabled(if: DocumentPortal.unavailabilityReason == nil, "\(DocumentPortal.unavailabilityReason ?? "")"))
struct PortalCallerTests {
    /// Submits a download into a folder of the sandbox.
    private func submit(_ url: String, name: String, into folder: String, by caller: HostileProcess) async throws
        -> Int64
    {
        let transfer = WireValue.dictionary([
            ("url", .string(url)), ("name", .string(name)), ("directory-fd", .handle(0)),
        ])
        let reply = try await caller.manager("Submit", [.array(of: "a{sv}", [transfer])], files: [folder])
        guard let id = reply.value?.members.first?.number else { throw FixtureError("Submit: \(reply)") }
        return id
    }

    /// Waits for the end of a transfer, which only the user may do, and returns the transfer as the app sees it.
    private func ended(_ id: Int64, by caller: HostileProcess, _ control: Transferctl) async throws -> WireValue? {
        _ = try await control.run(["wait", "\(id)"])
        return try await caller.manager("Show", [.int64(id)]).value
    }

    @Test("C2: a folder chosen by the user gets the file, also after the portal restarts with new inode numbers")
    func chosen() async throws {
        let nginx = try await NginxServer()
        let bytes = FileManager.default.contents(atPath: try nginx.serve("file", bytes: 100_000))
        try await HostileFixture.with(hasPortal: true) { fixture in
            try await DocumentPortal.with(fixture) { portal in
                let chosen = fixture.folder.path + "/chosen"
                try FileManager.default.createDirectory(atPath: chosen, withIntermediateDirectories: true)
                let id = try await portal.share(chosen, with: HostileFixture.sandboxedApp)
                let caller = try await fixture.sandboxedCaller(
                    documents: portal.documents(of: HostileFixture.sandboxedApp))
                let folder = "/run/flatpak/doc/\(id)/chosen"
                #expect(try await caller.perform("sees \(folder)") == "true")
                let control = try Transferctl(environment: ["DBUS_SESSION_BUS_ADDRESS": fixture.address])
                let first = try await submit(nginx.url("file"), name: "first", into: folder, by: caller)
                let shown = try await ended(first, by: caller, control)
                #expect(shown?["state"]?.text == "finished", "\(String(describing: shown))")
                #expect(FileManager.default.contents(atPath: chosen + "/first") == bytes)

                // Held until the portal has ended. On release, the daemon tries the transfer, starts the portal, and then
                // retries the transfer.
                #expect(try await control.run(["hold"]).status == 0)
                let second = try await submit(nginx.url("file"), name: "second", into: folder, by: caller)
                await caller.end()
                try await portal.end()
                #expect(try await control.run(["release"]).status == 0)
                try await waitUntil("the daemon starts the portal", within: 60) { await portal.process() != nil }
                try await waitUntil("the file is there", within: 120, watching: .files(in: chosen)) {
                    FileManager.default.contents(atPath: chosen + "/second") == bytes
                }
                #expect(second > first)
                // The partial file is removed a moment later.
                try await waitUntil("no other file is there", within: 60, watching: .files(in: chosen)) {
                    let files = try FileManager.default.contentsOfDirectory(atPath: chosen).sorted()
                    return files == ["first", "second"]
                }
                #expect(try await fixture.damage() == [])
            }
        }
    }

    @Test("C2: a revoked folder gets nothing, and an app cannot use another app's folder")
    func revoked() async throws {
        let nginx = try await NginxServer()
        try nginx.serve("file", bytes: 100_000)
        try await HostileFixture.with(hasPortal: true) { fixture in
            try await DocumentPortal.with(fixture) { portal in
                let chosen = fixture.folder.path + "/chosen"
                try FileManager.default.createDirectory(atPath: chosen, withIntermediateDirectories: true)
                let id = try await portal.share(chosen, with: HostileFixture.sandboxedApp)
                let caller = try await fixture.sandboxedCaller(
                    documents: portal.documents(of: HostileFixture.sandboxedApp))
                let control = try Transferctl(environment: ["DBUS_SESSION_BUS_ADDRESS": fixture.address])
                #expect(try await control.run(["hold"]).status == 0)
                let submitted = try await submit(
                    nginx.url("file"), name: "late", into: "/run/flatpak/doc/\(id)/chosen", by: caller)
                try await portal.revoke(id)
                #expect(try await control.run(["release"]).status == 0)
                let shown = try await ended(submitted, by: caller, control)
                #expect(shown?["state"]?.text == "failed", "\(String(describing: shown))")
                #expect(try FileManager.default.contentsOfDirectory(atPath: chosen) == [])
                await caller.end()

                // Another sandbox that obtained the view has no access right to the folder.
                let other = try await portal.share(chosen, with: "org.example.Owner")
                let thief = try await fixture.sandboxedCaller(
                    "org.example.Thief", documents: portal.documents(of: "org.example.Owner"))
                let transfer = WireValue.dictionary([
                    ("url", .string(nginx.url("file"))), ("name", .string("stolen")), ("directory-fd", .handle(0)),
                ])
                let reply = try await thief.manager(
                    "Submit", [.array(of: "a{sv}", [transfer])], files: ["/run/flatpak/doc/\(other)/chosen"])
                #expect(reply.error == "InvalidArgument", "\(reply)")
                await thief.end()
                #expect(try FileManager.default.contentsOfDirectory(atPath: chosen) == [])
                #expect(try await fixture.damage() == [])
            }
        }
    }
}
