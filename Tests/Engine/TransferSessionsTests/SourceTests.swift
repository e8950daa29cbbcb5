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

    @Test("C5: an upload sends the kept file under the app's path, and the kept file is removed at its end")
    func kept() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            try await fixture.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            #expect(fixture.spool.kept == ["/spool/1"])
            let id = await fixture.running(1, app.key())
            let source = try #require(fixture.executor.specification(of: id)?.upload)
            #expect((source.path, source.origin) == ("/spool/1", "/data/report.pdf"))
            #expect((source.size, source.modified) == (10, 7))
            #expect(
                await fixture.host.read { $0.tasks(of: app.key()) }.map(\.kind) == [.upload(path: "/data/report.pdf")])
            fixture.executor.finish(id)
            await fixture.until("the end") { app.lines.last == "1 completed " }
            #expect(fixture.spool.kept.isEmpty)
        }
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

    @Test("C5: a kept file without a task is removed at startup")
    func orphans() async throws {
        let disks = HostDisks()
        let fixture = HostFixture(disks)
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            _ = try await fixture.spool.keep(.path("/lost"), for: app.app, within: .max)
            try await fixture.host.post(
                .submit(Self.upload(1, isSuspended: true)), in: app.key(), from: app.client.name)
            #expect(fixture.spool.kept == ["/spool/1", "/spool/2"])
        }
        let again = HostFixture(disks)
        try await again.run { #expect(again.spool.kept == ["/spool/2"]) }
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

    @Test("C5, T1: an unreadable file ends its task; a full volume or quota refuses the order")
    func refused() async throws {
        let fixture = HostFixture(filesPerApp: 25)
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            fixture.spool.fail(SourceSpoolError(.unusable, "it is gone"))
            try await fixture.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            #expect(app.lines.last == "1 completed -1100")
            fixture.spool.fail(nil)
            for number in 2...3 {
                try await fixture.host.post(
                    .submit(Self.upload(number, isSuspended: true)), in: app.key(), from: app.client.name)
            }
            let refusal = await #expect(throws: SessionRefusal.self) {
                try await fixture.host.post(.submit(Self.upload(4)), in: app.key(), from: app.client.name)
            }
            #expect(refusal?.code == .limitExceeded)
            #expect(refusal?.message.contains("25") == true)
            // Task 4 was never accepted, so its number is free once there is room again.
            try await fixture.host.post(.cancel(2), in: app.key(), from: app.client.name)
            try await fixture.host.post(.submit(Self.upload(4)), in: app.key(), from: app.client.name)
            _ = await fixture.running(4, app.key())
        }
    }

    @Test("C5: unclaimed finished files count, and downloads beyond the quota are refused")
    func quota() async throws {
        let fixture = HostFixture(filesPerApp: 5000)
        let (app, other) = (FakeApp(), FakeApp("other", process: 2))
        try await fixture.run {
            for app in [app, other] { _ = try await fixture.host.open(.named(), by: app.client) }
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let id = await fixture.running(1, app.key())
            fixture.executor.progress(id, to: 5000, of: 5000)
            fixture.executor.finish(id)
            await fixture.until("the end") { app.lines.last == "1 completed " }
            fixture.alarm.advance(by: .seconds(1))
            let refusal = await #expect(throws: SessionRefusal.self) {
                try await fixture.host.post(.submit(.download(2)), in: app.key(), from: app.client.name)
            }
            #expect(refusal?.code == .limitExceeded)
            #expect(refusal?.message.contains("may have 5000 (files-per-app)") == true)
            try await fixture.host.post(.submit(.download(1)), in: other.key(), from: other.client.name)
            // There is room again after the app has acknowledged its events.
            for number in app.numbers {
                try await fixture.host.acknowledge(number, in: app.key(), from: app.client.name)
            }
            fixture.alarm.advance(by: .seconds(1))
            try await fixture.host.post(.submit(.download(2)), in: app.key(), from: app.client.name)
            _ = await fixture.running(2, app.key())
        }
    }

    @Test("C5: an app's files on disk and unfinished tasks are counted")
    func counted() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            for number in 1...2 {
                try await fixture.host.post(.submit(.download(number)), in: app.key(), from: app.client.name)
            }
            fixture.executor.progress(await fixture.running(1, app.key()), to: 300, of: 1000)
            fixture.executor.progress(await fixture.running(2, app.key()), to: 70, of: 70)
            fixture.executor.finish(await fixture.running(2, app.key()))
            await fixture.until("the end") { app.lines.last == "2 completed " }
            await fixture.until("the bytes") {
                await fixture.host.read { $0.fileUsages() }[app.app]?.partialBytes == 300
            }
            let usage = try #require(await fixture.host.read { $0.fileUsages() }[app.app])
            #expect((usage.tasks, usage.finishedFiles, usage.finishedBytes) == (1, 1, 70))
        }
    }
}
