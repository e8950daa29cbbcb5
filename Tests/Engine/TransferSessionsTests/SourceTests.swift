// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting

@Suite("C5: kept files of uploads")
struct SourceTests {
    private static func upload(_ number: Int, isSuspended: Bool = false) -> TaskSnapshot {
        var snapshot = TaskSnapshot(
            identifier: number, kind: .upload(path: "/data/report.pdf"),
            request: RequestDescription(url: "http://h/\(number)", method: "PUT"))
        snapshot.isSuspended = isSuspended
        return snapshot
    }

    @Test("C5: a suspended task's file is kept from its submission on, across a restart, and sent on resume")
    func suspended() async throws {
        let disks = HostDisks()
        let fixture = HostFixture(disks)
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            try await fixture.host.post(
                .submit(Self.upload(1, isSuspended: true)), in: app.key(), from: app.client.name)
            #expect(fixture.spool.kept == ["/spool/1"])
        }
        let again = HostFixture(disks)
        try await again.run {
            #expect(again.spool.kept == ["/spool/1"])
            _ = try await again.host.open(.named(), by: app.client)
            try await again.host.post(.resume(1), in: app.key(), from: app.client.name)
            let id = await again.running(1, app.key())
            #expect(again.executor.specification(of: id)?.upload?.path == "/spool/1")
            try await again.host.post(.cancel(1), in: app.key(), from: app.client.name)
            await again.until("the end") { again.spool.kept.isEmpty }
        }
    }

    @Test("C5: a repeated order keeps its file only once")
    func twice() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            fixture.spool.stall()
            async let first: Void = fixture.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            await fixture.until("the copy") { fixture.spool.keeps == 1 }
            async let second: Void = fixture.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            // The session continues during the copy.
            try await fixture.host.post(.submit(.download(2)), in: app.key(), from: app.client.name)
            fixture.executor.finish(await fixture.running(2, app.key()))
            await fixture.until("the other's end") { app.lines.last == "2 completed " }
            fixture.spool.release()
            _ = try await (first, second)
            try await fixture.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            #expect((fixture.spool.keeps, fixture.spool.kept) == (1, ["/spool/1"]))
            _ = await fixture.running(1, app.key())
        }
    }

    @Test("C5: a task whose row cannot be saved leaves no file behind, and is accepted when repeated")
    func notSaved() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            fixture.disks.sessions.failNext(1)
            await #expect(throws: SessionRefusal.self) {
                try await fixture.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            }
            #expect(fixture.spool.kept.isEmpty)
            try await fixture.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            #expect(fixture.spool.kept.count == 1)
            _ = await fixture.running(1, app.key())
        }
    }
}
