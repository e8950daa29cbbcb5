// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting

@Suite("The desktop's reports about apps")
struct WindowTests {
    private func isInFront(_ fixture: HostFixture) async -> Bool {
        await fixture.host.read { $0.appStatuses() }.first?.isInFront == true
    }

    @Test("S6: the desktop's report decides whether an app is in front; without one, the app's own report")
    func desktop() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            for (windows, isInFront) in [
                ([app.app: WindowFocus.unfocused], false), ([app.app: .focused], true), ([app.app: .closed], false),
                (["org.example.Other": .unfocused], true), ([:], true),
            ] {
                await fixture.host.updateWindows(windows)
                #expect(await self.isInFront(fixture) == isInFront, "\(windows)")
            }
            await fixture.host.setInFront(false, app: app.app)
            await fixture.host.updateWindows([app.app: .focused])
            #expect(await isInFront(fixture))
            // A focused window counts more than the app's own report.
            await fixture.host.setInFront(false, app: app.app)
            #expect(await isInFront(fixture))
            await fixture.host.updateWindows([:])
            #expect(await !isInFront(fixture))
        }
    }

    @Test("C13: an app's own report never overrides the desktop's report, and counts without one")
    func says() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            await fixture.host.updateWindows([app.app: .unfocused])
            await fixture.host.setInFront(true, app: app.app)
            #expect(await !isInFront(fixture))
            #expect(await !fixture.host.read { $0.isInFront(app.app) })
            await fixture.host.updateWindows([:])
            #expect(await isInFront(fixture))
            #expect(await fixture.host.read { $0.isInFront("org.example.Unknown") })
            await fixture.host.updateWindows(["org.example.Unknown": .closed])
            #expect(await !fixture.host.read { $0.isInFront("org.example.Unknown") })
        }
    }

    @Test("C13: another process of an app that was started for its sessions was not started by the user")
    func forked() async throws {
        let fixture = HostFixture()
        let child = FakeApp(process: 4711) { $0.isLaunched = true }
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: child.client)
            #expect(await !fixture.host.read { $0.isInFront(child.app) })
        }
    }

    @Test("Reports from before an app opened its session count; windows of an earlier process do not")
    func before() async throws {
        for (window, isInFront) in [(WindowFocus.unfocused, false), (.focused, true), (.closed, true)] {
            let fixture = HostFixture()
            let app = FakeApp()
            try await fixture.run {
                await fixture.host.updateWindows([app.app: window])
                _ = try await fixture.host.open(.named(), by: app.client)
                #expect(await self.isInFront(fixture) == isInFront, "\(window)")
            }
        }
    }

    @Test("R3: the focus ends the limiter's delay; the withdrawal of a report does not")
    func limiter() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client, registration: .command(["/bin/app"]))
            await fixture.host.updateWindows([app.app: .unfocused])
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let first = await fixture.running(1, app.key())
            #expect(fixture.executor.specification(of: first)?.traits.kind == .discretionary)
            fixture.executor.finish(first)
            await fixture.until("the call") { app.lines.last == "finished" }
            await fixture.host.updateWindows([:])
            await fixture.until("a delay") { await fixture.engine.relaunchDelays().delays.count == 1 }
            // The app is seen in the background, so a new process of the app does not bring it to the front.
            await fixture.host.updateWindows([app.app: .unfocused])
            await fixture.host.disconnected(app.client.name)
            _ = try await fixture.host.open(.named(), by: FakeApp(process: 101).client)
            #expect(await fixture.engine.relaunchDelays().delays.count == 1)
            await fixture.host.updateWindows([app.app: .focused])
            await fixture.until("no delay") { await fixture.engine.relaunchDelays().delays.isEmpty }
        }
    }
}
