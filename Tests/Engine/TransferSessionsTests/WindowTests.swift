// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting

@Suite("What the desktop tells of apps")
struct WindowTests {
    private func isInFront(_ rig: HostRig) async -> Bool {
        await rig.host.read { $0.appStatuses() }.first?.isInFront == true
    }

    @Test("S6: an app is in front as the desktop has it, and as it says itself where that tells nothing")
    func desktop() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            for (windows, isInFront) in [
                ([app.app: WindowFocus.unfocused], false), ([app.app: .focused], true), ([app.app: .closed], false),
                (["org.example.Other": .unfocused], true), ([:], true),
            ] {
                await rig.host.noteWindows(windows)
                #expect(await self.isInFront(rig) == isInFront, "\(windows)")
            }
            await rig.host.setInFront(false, app: app.app)
            await rig.host.noteWindows([app.app: .focused])
            #expect(await isInFront(rig))
            // A focused window counts more than the app's own report.
            await rig.host.setInFront(false, app: app.app)
            #expect(await isInFront(rig))
            await rig.host.noteWindows([:])
            #expect(await !isInFront(rig))
        }
    }

    @Test("C13: an app's own word never overrides what the desktop reports, and counts where that reports nothing")
    func says() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            await rig.host.noteWindows([app.app: .unfocused])
            await rig.host.setInFront(true, app: app.app)
            #expect(await !isInFront(rig))
            #expect(await !rig.host.read { $0.isInFront(app.app) })
            await rig.host.noteWindows([:])
            #expect(await isInFront(rig))
            #expect(await rig.host.read { $0.isInFront("org.example.Unknown") })
            await rig.host.noteWindows(["org.example.Unknown": .closed])
            #expect(await !rig.host.read { $0.isInFront("org.example.Unknown") })
        }
    }

    @Test("C13: another process of an app that was started for its sessions is nothing that a person has started")
    func forked() async throws {
        let rig = HostRig()
        let child = PlayedApp(process: 4711) { $0.isLaunched = true }
        try await rig.run {
            _ = try await rig.host.open(.named(), by: child.client)
            #expect(await !rig.host.read { $0.isInFront(child.app) })
        }
    }

    @Test("What was told before an app opened its session counts; windows of an earlier process do not")
    func before() async throws {
        for (window, isInFront) in [(WindowFocus.unfocused, false), (.focused, true), (.closed, true)] {
            let rig = HostRig()
            let app = PlayedApp()
            try await rig.run {
                await rig.host.noteWindows([app.app: window])
                _ = try await rig.host.open(.named(), by: app.client)
                #expect(await self.isInFront(rig) == isInFront, "\(window)")
            }
        }
    }

    @Test("R3: the focus ends the limiter's delay; that a desktop no longer tells of an app does not")
    func limiter() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client, registration: .command(["/bin/app"]))
            await rig.host.noteWindows([app.app: .unfocused])
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let first = await rig.running(1, app.key())
            #expect(rig.executor.specification(of: first)?.traits.kind == .discretionary)
            rig.executor.finish(first)
            await rig.until("the call") { app.lines.last == "finished" }
            await rig.host.noteWindows([:])
            await rig.until("a delay") { await rig.engine.relaunchDelays().delays.count == 1 }
            // The app is seen in the background, so a new process of the app does not bring it to the front.
            await rig.host.noteWindows([app.app: .unfocused])
            await rig.host.disconnected(app.client.name)
            _ = try await rig.host.open(.named(), by: PlayedApp(process: 101).client)
            #expect(await rig.engine.relaunchDelays().delays.count == 1)
            await rig.host.noteWindows([app.app: .focused])
            await rig.until("no delay") { await rig.engine.relaunchDelays().delays.isEmpty }
        }
    }
}
