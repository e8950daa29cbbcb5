// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import RawBus
import Testing

@Suite(
    "Attacks from a sandbox",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"),
    .enabled(if: SandboxRoot.unavailabilityReason == nil, "\(SandboxRoot.unavailabilityReason ?? "")"))
struct SandboxAttackTests {
    private func expectRefusal(_ reply: HostileReply, naming words: String...) {
        #expect(reply.error == "AccessDenied", "\(reply)")
        for word in words { #expect(reply.text.contains(word), "\(reply)") }
    }

    @Test("A relaunch command does not run a shell outside the sandbox; C3")
    func command() async throws {
        try await HostileFixture.with { fixture in
            let caller = try await fixture.sandboxedCaller()
            let words = ["/bin/sh", "-c", "touch '\(fixture.home)/owned'"]
            let reply = try await caller.manager(
                "OpenSession",
                [.dictionary([("identifier", .string("s"))]), .dictionary([("command", .texts(words))])])
            expectRefusal(reply, naming: "command")
            // A refused command is not kept for a later event either.
            let opened = try await caller.manager(
                "OpenSession", [.dictionary([("identifier", .string("s"))]), .dictionary([])])
            #expect(opened.error == nil, "\(opened)")
            let apps = try await caller.manager("Apps")
            #expect(apps.error == nil && !apps.description.contains("/bin/sh"), "\(apps)")
            await caller.end()
            #expect(try await fixture.damage() == [])
        }
    }

    @Test("A folder's path replaces nothing in the home folder, with any collision rule; a descriptor is accepted; C2")
    func folder() async throws {
        try await HostileFixture.with { fixture in
            let caller = try await fixture.sandboxedCaller()
            for collision in ["overwrite", "rename", "fail"] {
                let transfer = WireValue.dictionary([
                    ("url", .string("http://127.0.0.1:9/x")), ("directory", .string(fixture.home)),
                    ("name", .string(".bashrc")), ("collision", .string(collision)),
                ])
                expectRefusal(
                    try await caller.manager("Submit", [.array(of: "a{sv}", [transfer])]), naming: "directory-fd")
            }
            let passed = HostileFixture.transfer(named: "x", [("directory-fd", .handle(0))])
            let reply = try await caller.manager("Submit", [.array(of: "a{sv}", [passed])], files: ["/proc/self/cwd"])
            // The folder is the sandbox's own root. By the path of that root, the daemon reaches nothing.
            #expect(reply.error == "InvalidArgument" || reply.error == "AccessDenied", "\(reply)")
            #expect(try await fixture.damage() == [])
            await caller.end()
        }
    }

    @Test("A sandbox without the network reaches no server of this machine or its network")
    func offline() async throws {
        try await HostileFixture.with { fixture in
            let caller = try await fixture.sandboxedCaller(shared: "ipc")
            for host in ["127.0.0.1:9", "localhost", "0x7f.1", "192.168.1.1", "[::1]:9"] {
                let transfer = WireValue.dictionary([("url", .string("http://\(host)/x"))])
                let mirrored = WireValue.dictionary([
                    ("url", .string("http://203.0.113.5/x")), ("mirrors", .texts(["http://\(host)/x"])),
                ])
                for refused in [transfer, mirrored] {
                    expectRefusal(
                        try await caller.manager("Submit", [.array(of: "a{sv}", [refused])]), naming: "--share=network")
                }
            }
            let opened = try await caller.manager(
                "OpenSession", [.dictionary([("identifier", .string("s"))]), .dictionary([])])
            let path = try #require(opened.value?["path"]?.text)
            expectRefusal(
                try await caller.session(path, "Post", [HostileFixture.submit(task: 1)]), naming: "--share=network")
            await caller.end()
        }
    }

    @Test("A private key cannot be uploaded by its path, neither by a transfer nor by a session's task; C2")
    func key() async throws {
        try await HostileFixture.with { fixture in
            let caller = try await fixture.sandboxedCaller()
            let key = WireValue.string(fixture.home + "/.ssh/id_test")
            let transfer = WireValue.dictionary([("url", .string("http://127.0.0.1:9/x")), ("upload-file", key)])
            expectRefusal(
                try await caller.manager("Submit", [.array(of: "a{sv}", [transfer])]), naming: "upload-fd")
            let opened = try await caller.manager(
                "OpenSession", [.dictionary([("identifier", .string("s"))]), .dictionary([])])
            let path = try #require(opened.value?["path"]?.text)
            let order = HostileFixture.submit(task: 1, "x", [("upload-file", key)])
            let posted = try await caller.session(path, "Post", [order])
            expectRefusal(posted, naming: "upload-fd")
            #expect(try await caller.session(path, "Tasks").value?.members.isEmpty == true)
            await caller.end()
        }
    }

    @Test("A sandboxed app without rejected options has its own, private sessions; C3, C6")
    func ownSessions() async throws {
        try await HostileFixture.with { fixture in
            let caller = try await fixture.sandboxedCaller()
            let opened = try await caller.manager(
                "OpenSession", [.dictionary([("identifier", .string(HostileFixture.mark))]), .dictionary([])])
            let path = try #require(opened.value?["path"]?.text)
            #expect(path != fixture.victimSession)
            #expect(opened.value?["tasks"]?.members.isEmpty == true)
            #expect(try await caller.session(path, "Post", [HostileFixture.submit(task: 1)]).error == nil)
            await caller.end()
            let other = try await fixture.sandboxedCaller("org.example.OtherSandbox")
            #expect(try await other.session(path, "Tasks").error == "UnknownObject")
            await other.end()
        }
    }
}
