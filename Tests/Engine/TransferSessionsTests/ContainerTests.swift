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
    private func register(_ fixture: HostFixture, _ name: String = "org.example.App", process: Int32 = 100) async throws
    {
        let app = FakeApp(name, process: process) { $0.containers = ["group"] }
        _ = try await fixture.host.open(.named(), by: app.client, registration: command)
        await fixture.host.disconnected(app.client.name)
    }

    @Test("S8: a helper does not bring the app to the foreground, and has its own foreground state")
    func person() async throws {
        let fixture = HostFixture()
        try await fixture.run {
            try await register(fixture)
            await fixture.host.setInFront(false, app: "org.example.App")
            let key = SessionKey(app: "org.example.App", identifier: "shared")
            let helper = FakeApp("org.example.Helper", process: 200)
            _ = try await fixture.host.open(shared, by: helper.client)
            try await fixture.host.post(.submit(.download(1)), in: key, from: helper.client.name)
            let first = await fixture.running(1, key)
            #expect(fixture.executor.specification(of: first)?.traits.kind == .normal)
            await fixture.host.setInFront(false, app: "org.example.Helper")
            try await fixture.host.post(.submit(.download(2)), in: key, from: helper.client.name)
            let second = await fixture.running(2, key)
            #expect(fixture.executor.specification(of: second)?.traits.kind == .discretionary)
        }
    }

    @Test("S8: without a registered app, a helper's session is its own, and its tasks stay its own")
    func alone() async throws {
        let fixture = HostFixture()
        try await fixture.run {
            let helper = FakeApp("org.example.Helper", process: 200)
            let state = try await fixture.host.open(shared, by: helper.client, registration: command)
            #expect(state.app == nil)
            try await fixture.host.post(.submit(.download(1)), in: helper.key("shared"), from: helper.client.name)
            await fixture.host.disconnected(helper.client.name)
            try await register(fixture)
            #expect(try await fixture.host.open(shared, by: helper.client).app == nil)
            await fixture.host.disconnected(helper.client.name)
            fixture.executor.finish(await fixture.running(1, helper.key("shared")))
            await fixture.until("the start") { fixture.launcher.calls == ["org.example.Helper shared"] }
        }
    }

    @Test("S8: the first app that names a container is registered, also after a restart; the second is warned")
    func first() async throws {
        let disks = HostDisks()
        let fixture = HostFixture(disks)
        try await fixture.run {
            try await register(fixture)
            let second = FakeApp("org.example.Second", process: 300) { $0.containers = ["group", "own"] }
            let state = try await fixture.host.open(.named(), by: second.client, registration: command)
            #expect(state.warning?.contains("'org.example.App' is registered for the container") == true)
        }
        let later = HostFixture(disks, now: fixture.alarm.now())
        try await later.run {
            let helper = FakeApp("org.example.Helper", process: 200)
            #expect(try await later.host.open(shared, by: helper.client).app == "org.example.App")
            let own = SessionSettings.named("other") { $0.sharedContainerIdentifier = "own" }
            #expect(try await later.host.open(own, by: helper.client).app == "org.example.Second")
            // The app no longer belongs to the container, so the second app may take its place.
            let app = FakeApp(process: 400) { $0.containers = [] }
            later.alarm.advance(by: .seconds(1))
            _ = try await later.host.open(.named(), by: app.client)
            let second = FakeApp("org.example.Second", process: 301) { $0.containers = ["group", "own"] }
            #expect(try await later.host.open(.named(), by: second.client, registration: command).warning == nil)
        }
    }
}
