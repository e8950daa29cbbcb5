// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting

@Suite("C5: files of uploads that sessions keep")
struct SourceTests {
    private static func upload(_ number: Int, isSuspended: Bool = false) -> TaskSnapshot {
        var snapshot = TaskSnapshot(
            identifier: number, kind: .upload(path: "/data/report.pdf"),
            request: RequestDescription(url: "http://h/\(number)", method: "PUT"))
        snapshot.isSuspended = isSuspended
        return snapshot
    }

    @Test("C5: an upload sends the kept file under the name of the app's own, and the file goes at its end")
    func kept() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            try await rig.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            #expect(rig.spool.kept == ["/spool/1"])
            let id = await rig.running(1, app.key())
            let source = try #require(rig.executor.specification(of: id)?.upload)
            #expect((source.path, source.origin) == ("/spool/1", "/data/report.pdf"))
            #expect((source.size, source.modified) == (10, 7))
            #expect(await rig.host.read { $0.tasks(of: app.key()) }.map(\.kind) == [.upload(path: "/data/report.pdf")])
            rig.executor.finish(id)
            await rig.until("the end") { app.lines.last == "1 completed " }
            #expect(rig.spool.kept.isEmpty)
        }
    }

    @Test("C5: a suspended task's file is kept from the order on, over a restart, and sent when it is resumed")
    func suspended() async throws {
        let disks = HostDisks()
        let rig = HostRig(disks)
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            try await rig.host.post(.submit(Self.upload(1, isSuspended: true)), in: app.key(), from: app.client.name)
            #expect(rig.spool.kept == ["/spool/1"])
        }
        let again = HostRig(disks)
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

    @Test("C5: an order that is given again, while its file is copied or later, keeps nothing twice")
    func twice() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            rig.spool.stall()
            async let first: Void = rig.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            await rig.until("the copy") { rig.spool.keeps == 1 }
            async let second: Void = rig.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            // The session continues during the copy.
            try await rig.host.post(.submit(.download(2)), in: app.key(), from: app.client.name)
            rig.executor.finish(await rig.running(2, app.key()))
            await rig.until("the other's end") { app.lines.last == "2 completed " }
            rig.spool.release()
            _ = try await (first, second)
            try await rig.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            #expect((rig.spool.keeps, rig.spool.kept) == (1, ["/spool/1"]))
            _ = await rig.running(1, app.key())
        }
    }

    @Test("C5: a kept file that no task names is removed at the start: the order was never acknowledged")
    func orphans() async throws {
        let disks = HostDisks()
        let rig = HostRig(disks)
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            _ = try await rig.spool.keep(.path("/lost"), for: app.app, within: .max)
            try await rig.host.post(.submit(Self.upload(1, isSuspended: true)), in: app.key(), from: app.client.name)
            #expect(rig.spool.kept == ["/spool/1", "/spool/2"])
        }
        let again = HostRig(disks)
        try await again.run { #expect(again.spool.kept == ["/spool/2"]) }
    }

    @Test("C5: a task whose row cannot be saved leaves no file behind, and is taken when it is given again")
    func notSaved() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            rig.disks.sessions.failNext(1)
            await #expect(throws: SessionRefusal.self) {
                try await rig.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            }
            #expect(rig.spool.kept.isEmpty)
            try await rig.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            #expect(rig.spool.kept.count == 1)
            _ = await rig.running(1, app.key())
        }
    }

    @Test("C5, T1: a file that cannot be read ends its task; a full volume or quota refuses it by name")
    func refused() async throws {
        let rig = HostRig(filesPerApp: 25)
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            rig.spool.fail(SourceSpoolError(.unusable, "it is gone"))
            try await rig.host.post(.submit(Self.upload(1)), in: app.key(), from: app.client.name)
            #expect(app.lines.last == "1 completed -1100")
            rig.spool.fail(nil)
            for number in 2...3 {
                try await rig.host.post(
                    .submit(Self.upload(number, isSuspended: true)), in: app.key(), from: app.client.name)
            }
            let refusal = await #expect(throws: SessionRefusal.self) {
                try await rig.host.post(.submit(Self.upload(4)), in: app.key(), from: app.client.name)
            }
            #expect(refusal?.code == .limitExceeded)
            #expect(refusal?.message.contains("25") == true)
            // Task 4 was never accepted, so its number is free once there is room again.
            try await rig.host.post(.cancel(2), in: app.key(), from: app.client.name)
            try await rig.host.post(.submit(Self.upload(4)), in: app.key(), from: app.client.name)
            _ = await rig.running(4, app.key())
        }
    }

    @Test("C5: an app whose finished files are not taken gets no more downloads beyond its quota")
    func quota() async throws {
        let rig = HostRig(filesPerApp: 5000)
        let (app, other) = (PlayedApp(), PlayedApp("other", process: 2))
        try await rig.run {
            for app in [app, other] { _ = try await rig.host.open(.named(), by: app.client) }
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let id = await rig.running(1, app.key())
            rig.executor.progress(id, to: 5000, of: 5000)
            rig.executor.finish(id)
            await rig.until("the end") { app.lines.last == "1 completed " }
            rig.alarm.advance(by: .seconds(1))
            let refusal = await #expect(throws: SessionRefusal.self) {
                try await rig.host.post(.submit(.download(2)), in: app.key(), from: app.client.name)
            }
            #expect(refusal?.code == .limitExceeded)
            #expect(refusal?.message.contains("may have 5000 (files-per-app)") == true)
            try await rig.host.post(.submit(.download(1)), in: other.key(), from: other.client.name)
            // There is room again after the app has acknowledged its events.
            for number in app.numbers {
                try await rig.host.acknowledge(number, in: app.key(), from: app.client.name)
            }
            rig.alarm.advance(by: .seconds(1))
            try await rig.host.post(.submit(.download(2)), in: app.key(), from: app.client.name)
            _ = await rig.running(2, app.key())
        }
    }

    @Test("C5: what an app has on disk and open is counted")
    func counted() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            for number in 1...2 {
                try await rig.host.post(.submit(.download(number)), in: app.key(), from: app.client.name)
            }
            rig.executor.progress(await rig.running(1, app.key()), to: 300, of: 1000)
            rig.executor.progress(await rig.running(2, app.key()), to: 70, of: 70)
            rig.executor.finish(await rig.running(2, app.key()))
            await rig.until("the end") { app.lines.last == "2 completed " }
            await rig.until("the bytes") { await rig.host.read { $0.fileUsages() }[app.app]?.partialBytes == 300 }
            let usage = try #require(await rig.host.read { $0.fileUsages() }[app.app])
            #expect((usage.tasks, usage.finishedFiles, usage.finishedBytes) == (1, 1, 70))
        }
    }
}
