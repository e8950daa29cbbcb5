// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Testing
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting
import UploadSpool

@testable import transferd

@Suite("C5: files that are passed for uploads outside sessions")
struct KeptSourceTests {
    private let root = NSTemporaryDirectory() + "kept-source-\(UUID().uuidString)"

    private func service(filesPerApp: Int64) throws -> DaemonService {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let start = Moment(instant: .zero, wall: WallTime(secondsSinceEpoch: 1_795_392_000))
        let (alarm, source) = (ManualAlarm(startingAt: start), ManualConditionSource(Conditions(unknownSince: start)))
        let store = InMemoryTransferStore()
        let registry = TransferRegistry()
        let engine = TransferEngine(
            store: store, executor: FakeExecutor(), conditions: source, alarm: alarm, registry: registry, seed: 1)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let starter = AppStarter(bus: BusPrograms())
        let spool = UploadSpool(folder: root + "/sources") { _ in nil }
        let host = SessionHost(
            engine: engine, store: InMemorySessionStore(disk: InMemorySessionStore.Disk(), transfers: store),
            place: NoPlace(), spool: spool, launcher: starter, alarm: alarm, logger: logger, filesPerApp: filesPerApp)
        var configuration = DaemonConfiguration()
        configuration.filesPerApp = filesPerApp
        return DaemonService(
            engine: engine, registry: registry, host: host, spool: spool, starter: starter, alarm: alarm,
            holdSwitch: HoldSwitch(base: source, alarm: alarm, path: root + "/hold.json", onChange: { _ in }),
            configuration: configuration, stateDirectory: root, defaultDirectory: root, metrics: MetricsRegistry(),
            logger: logger)
    }

    /// Passes a file of so many bytes.
    private func keep(_ bytes: Int, by service: DaemonService, flags: Int32 = O_RDONLY) async throws -> KeptSource {
        let path = root + "/file"
        try Data(repeating: 7, count: bytes).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, flags)
        defer { close(descriptor) }
        defer { unlink(path) }
        return try await service.keep(descriptor, for: "org.example.Sandboxed")
    }

    @Test("C5: a passed file is kept until its transfer ends, and shown under the app's own name")
    func kept() async throws {
        let service = try service(filesPerApp: 1000)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let kept = try await keep(600, by: service)
        #expect(FileManager.default.contents(atPath: kept.path)?.count == 600)
        let upload = UploadSource(kept, of: "/data/report.pdf", contentType: "application/pdf")
        #expect((upload.path, upload.shownPath, upload.size) == (kept.path, "/data/report.pdf", 600))
        let specification = TransferSpecification(
            url: "http://h/", upload: upload,
            traits: TransferTraits(
                kind: .normal, host: "http://h:80", app: "org.example.Sandboxed",
                submitted: WallTime(secondsSinceEpoch: 0)))
        #expect(specification.displayName == "report.pdf")
        await service.noteSource(of: TransferID(1), specification)
        #expect(await service.sources[TransferID(1)] == kept)
        await service.removeSource(of: TransferID(2))
        #expect(FileManager.default.fileExists(atPath: kept.path))
        await service.removeSource(of: TransferID(1))
        #expect(!FileManager.default.fileExists(atPath: kept.path))
    }

    @Test("C5: the app's quota and a descriptor that cannot be read are refused by name; a discarded file makes room")
    func refused() async throws {
        let service = try service(filesPerApp: 1000)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let kept = try await keep(600, by: service)
        await #expect { try await keep(600, by: service) } throws: { ($0 as? BusFault)?.code == .limitExceeded }
        await #expect { try await keep(1, by: service, flags: O_WRONLY) } throws: {
            ($0 as? BusFault)?.code == .invalidArgument
        }
        await service.discard(kept)
        _ = try await keep(600, by: service)
    }
}

private struct NoPlace: SessionPlace {
    func specification(
        of task: TaskSnapshot, in session: SessionKey, by settings: SessionSettings, at now: WallTime
    ) throws(UnusableTask) -> TransferSpecification {
        throw UnusableTask(code: -1, message: "there is no session")
    }

    func remove(_ file: String) {}
}
