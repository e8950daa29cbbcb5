// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting

@Suite("Sessions of a shared container")
struct ContainerTests {
    private let command = AppRegistration.command(["/bin/app"])
    private let shared = SessionSettings.named("shared") { $0.sharedContainerIdentifier = "group" }

    /// Registers the publisher's main program, which has once opened a session of its own.
    private func register(_ rig: HostRig, _ name: String = "org.example.App", process: Int32 = 100) async throws {
        let app = PlayedApp(name, process: process) { $0.containers = ["group"] }
        _ = try await rig.host.open(.named(), by: app.client, registration: command)
        await rig.host.disconnected(app.client.name)
    }

    @Test("S8: a helper's session starts the app that is registered for the container, which has the session then")
    func helper() async throws {
        let rig = HostRig()
        try await rig.run {
            try await register(rig)
            let helper = PlayedApp("org.example.Helper", process: 200)
            let state = try await rig.host.open(
                shared, by: helper.client, registration: .command(["/bin/helper"]))
            #expect(state.app == "org.example.App")
            let key = SessionKey(app: "org.example.App", identifier: "shared")
            #expect(await rig.host.read { $0.user(of: key)?.name == helper.client.name })
            try await rig.host.post(.submit(.download(1)), in: key, from: helper.client.name)
            await rig.host.disconnected(helper.client.name)
            #expect(await rig.host.read { $0.user(of: key)?.name != helper.client.name })
            rig.executor.finish(await rig.running(1, key))
            await rig.until("the start") { rig.launcher.calls == ["org.example.App shared"] }
            #expect(rig.launcher.registrations == [command])
            let app = PlayedApp(process: 101)
            let joined = try await rig.host.open(shared, by: app.client)
            #expect(joined.app == nil)
            #expect(app.lines.last == "finished")
            // The app's relaunch limiter has counted the launch (R1).
            #expect(await rig.engine.relaunchDelays().delays.map(\.app) == ["org.example.App"])
        }
    }

    @Test("S8: a helper is no sign of the app's person, and is in front by itself")
    func person() async throws {
        let rig = HostRig()
        try await rig.run {
            try await register(rig)
            await rig.host.setInFront(false, app: "org.example.App")
            let key = SessionKey(app: "org.example.App", identifier: "shared")
            let helper = PlayedApp("org.example.Helper", process: 200)
            _ = try await rig.host.open(shared, by: helper.client)
            try await rig.host.post(.submit(.download(1)), in: key, from: helper.client.name)
            let first = await rig.running(1, key)
            #expect(rig.executor.specification(of: first)?.traits.kind == .normal)
            await rig.host.setInFront(false, app: "org.example.Helper")
            try await rig.host.post(.submit(.download(2)), in: key, from: helper.client.name)
            let second = await rig.running(2, key)
            #expect(rig.executor.specification(of: second)?.traits.kind == .discretionary)
        }
    }

    @Test("S8: where no app is registered, a helper's session is its own; what it has begun stays its own")
    func alone() async throws {
        let rig = HostRig()
        try await rig.run {
            let helper = PlayedApp("org.example.Helper", process: 200)
            let state = try await rig.host.open(shared, by: helper.client, registration: command)
            #expect(state.app == nil)
            try await rig.host.post(.submit(.download(1)), in: helper.key("shared"), from: helper.client.name)
            await rig.host.disconnected(helper.client.name)
            try await register(rig)
            #expect(try await rig.host.open(shared, by: helper.client).app == nil)
            await rig.host.disconnected(helper.client.name)
            rig.executor.finish(await rig.running(1, helper.key("shared")))
            await rig.until("the start") { rig.launcher.calls == ["org.example.Helper shared"] }
        }
    }

    @Test("S8: the first app that names a container is registered for it, also after a restart; the second is warned")
    func first() async throws {
        let disks = HostDisks()
        let rig = HostRig(disks)
        try await rig.run {
            try await register(rig)
            let second = PlayedApp("org.example.Second", process: 300) { $0.containers = ["group", "own"] }
            let state = try await rig.host.open(.named(), by: second.client, registration: command)
            #expect(state.warning?.contains("'org.example.App' is registered for it") == true)
        }
        let later = HostRig(disks, now: rig.alarm.now())
        try await later.run {
            let helper = PlayedApp("org.example.Helper", process: 200)
            #expect(try await later.host.open(shared, by: helper.client).app == "org.example.App")
            let own = SessionSettings.named("other") { $0.sharedContainerIdentifier = "own" }
            #expect(try await later.host.open(own, by: helper.client).app == "org.example.Second")
            // The app no longer belongs to the container, so the second app may take its place.
            let app = PlayedApp(process: 400) { $0.containers = [] }
            later.alarm.advance(by: .seconds(1))
            _ = try await later.host.open(.named(), by: app.client)
            let second = PlayedApp("org.example.Second", process: 301) { $0.containers = ["group", "own"] }
            #expect(try await later.host.open(.named(), by: second.client, registration: command).warning == nil)
        }
    }
}
