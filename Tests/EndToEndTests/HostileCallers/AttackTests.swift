// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import RawBus
import Testing

@Suite(
    "Attacks from a sandbox", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"),
    .enabled(if: CallerRoot.unavailabilityReason == nil, "\(CallerRoot.unavailabilityReason ?? "")"))
struct SandboxAttackTests {
    private func expectRefusal(_ answer: HostileAnswer, naming words: String...) {
        #expect(answer.error == "AccessDenied", "\(answer)")
        for word in words { #expect(answer.text.contains(word), "\(answer)") }
    }

    @Test("A relaunch command does not run a shell outside the sandbox; C3")
    func command() async throws {
        try await HostileRig.with { rig in
            let caller = try await rig.sandboxedCaller()
            let words = ["/bin/sh", "-c", "touch '\(rig.home)/owned'"]
            let answer = try await caller.manager(
                "OpenSession",
                [.dictionary([("identifier", .string("s"))]), .dictionary([("command", .texts(words))])])
            expectRefusal(answer, naming: "command")
            // A refused command is not kept for a later event either.
            let opened = try await caller.manager(
                "OpenSession", [.dictionary([("identifier", .string("s"))]), .dictionary([])])
            #expect(opened.error == nil, "\(opened)")
            let apps = try await caller.manager("Apps")
            #expect(apps.error == nil && !apps.description.contains("/bin/sh"), "\(apps)")
            await caller.end()
            #expect(try await rig.harm() == [])
        }
    }

    @Test("A folder's path, overwriting or not, replaces nothing in the home folder; a descriptor of it is taken; C2")
    func folder() async throws {
        try await HostileRig.with { rig in
            let caller = try await rig.sandboxedCaller()
            for collision in ["overwrite", "rename", "fail"] {
                let transfer = WireValue.dictionary([
                    ("url", .string("http://127.0.0.1:9/x")), ("directory", .string(rig.home)),
                    ("name", .string(".bashrc")), ("collision", .string(collision)),
                ])
                expectRefusal(
                    try await caller.manager("Submit", [.array(of: "a{sv}", [transfer])]), naming: "directory-fd")
            }
            let passed = HostileRig.transfer(named: "x", [("directory-fd", .handle(0))])
            let answer = try await caller.manager("Submit", [.array(of: "a{sv}", [passed])], files: ["/proc/self/cwd"])
            // The folder is the sandbox's own root. By the path of that root, the daemon reaches nothing.
            #expect(answer.error == "InvalidArgument" || answer.error == "AccessDenied", "\(answer)")
            #expect(try await rig.harm() == [])
            await caller.end()
        }
    }

    @Test("A private key is not uploaded by its path, neither by a transfer nor by a session's task; C2")
    func key() async throws {
        try await HostileRig.with { rig in
            let caller = try await rig.sandboxedCaller()
            let key = WireValue.string(rig.home + "/.ssh/id_test")
            let transfer = WireValue.dictionary([("url", .string("http://127.0.0.1:9/x")), ("upload-file", key)])
            expectRefusal(
                try await caller.manager("Submit", [.array(of: "a{sv}", [transfer])]), naming: "upload-fd")
            let opened = try await caller.manager(
                "OpenSession", [.dictionary([("identifier", .string("s"))]), .dictionary([])])
            let path = try #require(opened.value?["path"]?.text)
            let order = HostileRig.submit(task: 1, "x", [("upload-file", key)])
            let posted = try await caller.session(path, "Post", [order])
            expectRefusal(posted, naming: "upload-fd")
            #expect(try await caller.session(path, "Tasks").value?.members.isEmpty == true)
            await caller.end()
        }
    }

    @Test("Refused options leave a sandboxed app its sessions, which are its own alone; C3, C6")
    func ownSessions() async throws {
        try await HostileRig.with { rig in
            let caller = try await rig.sandboxedCaller()
            let opened = try await caller.manager(
                "OpenSession", [.dictionary([("identifier", .string(HostileRig.mark))]), .dictionary([])])
            let path = try #require(opened.value?["path"]?.text)
            #expect(path != rig.victimSession)
            #expect(opened.value?["tasks"]?.members.isEmpty == true)
            #expect(try await caller.session(path, "Post", [HostileRig.submit(task: 1)]).error == nil)
            await caller.end()
            let other = try await rig.sandboxedCaller("org.example.OtherSandbox")
            #expect(try await other.session(path, "Tasks").error == "UnknownObject")
            await other.end()
        }
    }
}
