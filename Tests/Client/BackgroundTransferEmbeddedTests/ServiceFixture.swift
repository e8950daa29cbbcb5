// SPDX-License-Identifier: Apache-2.0
import BackgroundTransferEmbedded
import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import SQLiteStore
import Testing
import TransferTesting

/// A service whose bytes, conditions, and clock a test determines. The queue is in a temporary folder.
final class ServiceFixture: Sendable {
    static let start = ClockReading(instant: .zero, wall: WallTime(secondsSinceEpoch: 1_795_392_000))

    let folder: String
    let executor = FakeExecutor()
    let source: ManualConditionSource
    let metrics = TestMetrics()
    let log = InMemoryLogHandler()
    let store: SQLiteStore
    let service: TransferService

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - folder: The folder of an earlier service. The default is a new folder.
    ///   - isMetered: Whether the network is metered.
    ///   - configure: Changes the settings, among them the source of conditions.
    init(
        in folder: String? = nil, isMetered: Bool = false, policy: any Policy = UnmeteredPolicy(),
        configure: (inout TransferService.Configuration) -> Void = { _ in }
    ) throws {
        self.folder = folder ?? NSTemporaryDirectory() + "service-\(UUID().uuidString)"
        source = ManualConditionSource(Self.conditions(isMetered: isMetered))
        var configuration = TransferService.Configuration()
        configuration.policy = policy
        configuration.conditions = source
        configure(&configuration)
        store = try SQLiteStore(SQLiteStoreConfiguration(path: self.folder + "/state/queue.sqlite"))
        service = TransferService(
            "org.example.Test", configuration, folders: (self.folder + "/state", self.folder + "/cache"), store: store,
            executor: executor, alarm: ManualAlarm(startingAt: Self.start), metrics: metrics,
            logger: Logger(label: "test") { [log] _ in log })
    }

    func removeFolder() { try? FileManager.default.removeItem(atPath: folder) }

    /// A download into the folder of the fixture.
    func specification(_ name: String = "a", kind: WorkKind = .normal) throws -> TransferSpecification {
        TransferSpecification(
            downloading: try #require(URL(string: "https://example.org/\(name)")),
            to: URL(filePath: folder + "/files", directoryHint: .isDirectory), kind: kind)
    }

    /// Runs the service during `body`.
    func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        let running = Task { [service] in try await service.run() }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        running.cancel()
        try await running.value
        return try result.get()
    }

    /// Returns after the executor has started an attempt of the transfer.
    func waitForStart(of id: TransferID) async {
        for await call in executor.calls { if case .start(id, _) = call { return } }
    }

    /// Submits a download and ends it with a status.
    func finish(_ specification: TransferSpecification, key: String? = nil, status: Int = 200) async throws
        -> TransferID
    {
        let id = try await service.submit(specification, key: key)
        await waitForStart(of: id)
        executor.finish(id, status: status)
        _ = try? await service.completion(of: id)
        return id
    }

    /// Changes whether the network is metered.
    func setMetered(_ isMetered: Bool) { source.send(Self.conditions(isMetered: isMetered)) }

    static func conditions(isMetered: Bool) -> Conditions {
        var conditions = Conditions(unknownSince: Self.start)
        conditions.power = Fact(.ac, source: .upower, since: Self.start)
        conditions.network = Fact(.full, source: .kernel, since: Self.start)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: Self.start)
        conditions.metered = Fact(isMetered ? .yes : .no, source: .networkManager, since: Self.start)
        return conditions
    }
}
