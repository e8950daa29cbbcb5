// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting

@Suite("C5: limits on the data that the daemon keeps for an app")
struct SessionLimitTests {
    private func refusal(_ body: () async throws -> Void) async -> SessionRefusal? {
        do {
            try await body()
            return nil
        } catch { return error as? SessionRefusal }
    }

    private func suspended(_ number: Int, url: String = "http://h/1") -> TaskSnapshot {
        var snapshot = TaskSnapshot(identifier: number, kind: .download, request: RequestDescription(url: url))
        snapshot.isSuspended = true
        return snapshot
    }

    @Test("Bytes of URLs and notes are counted for all sessions of an app together")
    func bytes() async throws {
        var limits = SessionLimits()
        limits.bytes = 10_000
        let fixture = HostFixture(limits: limits)
        let app = FakeApp()
        let long = "http://h/" + String(repeating: "x", count: 4000)
        try await fixture.run {
            for identifier in ["a", "b"] {
                _ = try await fixture.host.open(.named(identifier), by: app.client)
                try await fixture.host.post(
                    .submit(suspended(1, url: long)), in: app.key(identifier), from: app.client.name)
            }
            let third = await refusal {
                try await fixture.host.post(.submit(suspended(2, url: long)), in: app.key("a"), from: app.client.name)
            }
            #expect(third?.code == .limitExceeded)
            #expect(third?.message.contains("request bodies") == true)
            var annotated = suspended(1, url: long)
            annotated.note = String(repeating: "n", count: 4000)
            #expect(
                await refusal {
                    try await fixture.host.post(.change(annotated), in: app.key("a"), from: app.client.name)
                }?
                .code == .limitExceeded)
            // A request that replaces the task's own counts, too.
            var replacement = RequestDescription(url: "http://h/")
            replacement.body = [UInt8](repeating: 1, count: 8000)
            #expect(
                await refusal {
                    try await fixture.host.post(
                        .begin(1, .with(replacement)), in: app.key("a"), from: app.client.name)
                }?
                .code == .limitExceeded)
            // Other apps have their own limits.
            let other = FakeApp("org.example.Other", process: 7)
            _ = try await fixture.host.open(.named(), by: other.client)
            try await fixture.host.post(.submit(suspended(1, url: long)), in: other.key(), from: other.client.name)
        }
    }

    @Test("An app's sessions are counted, also after a restart; existing ones may be opened again")
    func sessions() async throws {
        var limits = SessionLimits()
        (limits.sessions, limits.tasks) = (2, 2)
        let disks = HostDisks()
        let fixture = HostFixture(disks, limits: limits)
        let app = FakeApp()
        try await fixture.run {
            for identifier in ["a", "b", "a"] { _ = try await fixture.host.open(.named(identifier), by: app.client) }
            let third = await refusal { _ = try await fixture.host.open(.named("c"), by: app.client) }
            #expect(third?.code == .limitExceeded)
            #expect(third?.message.contains("may have 2") == true)
            for number in 1...2 {
                try await fixture.host.post(.submit(suspended(number)), in: app.key("a"), from: app.client.name)
            }
        }
        let again = HostFixture(disks, limits: limits)
        try await again.run {
            #expect(await again.host.read { $0.usage(of: app.app) }.tasks == 2)
            _ = try await again.host.open(.named("a"), by: app.client)
            #expect(
                await refusal {
                    try await again.host.post(.submit(suspended(3)), in: app.key("a"), from: app.client.name)
                }?.code == .limitExceeded)
        }
    }

    @Test("A process that may have missed events receives its waiting events again")
    func tellsAgain() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            fixture.executor.finish(await fixture.running(1, app.key()))
            await fixture.until("the end") { app.lines.last == "1 completed " }
            let told = app.numbers
            await fixture.host.resendEvents(app.client.name, in: app.key())
            #expect(app.numbers == told + told)
            await fixture.host.resendEvents(":1.99", in: app.key())
            #expect(app.numbers == told + told)
            let number = try #require(told.dropFirst().first)
            #expect(await fixture.host.read { $0.file(ofEvent: number, in: app.key()) } != nil)
            for other in [EventNumber.min, -1, 0, told[0], .max] {
                #expect(await fixture.host.read { $0.file(ofEvent: other, in: app.key()) } == nil)
            }
        }
    }
}
