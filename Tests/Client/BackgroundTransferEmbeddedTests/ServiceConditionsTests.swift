// SPDX-License-Identifier: Apache-2.0
import BackgroundTransferEmbedded
import Foundation
import Testing
import TransferTesting

@Suite("The conditions of a service", .serialized, .timeLimit(.minutes(5)))
struct ServiceConditionsTests {
    @Test("A service is created with changed settings, and names the remedy if its folder is in use")
    func settings() throws {
        let folder = NSTemporaryDirectory() + "settings-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func service() throws -> TransferService {
            try TransferService("org.example.Test") {
                $0.stateDirectory = folder + "/state"
                $0.cacheDirectory = folder + "/cache"
                $0.conditions = .machine.assuming(.power(.battery), from: "test", while: .fileExists(folder + "/b"))
                $0.policy = StrictPolicy()
            }
        }
        let first = try service()
        let error = #expect(throws: TransferServiceError.self) { try service() }
        #expect(error?.description.contains("another process uses the state folder \(folder)/state") == true)
        withExtendedLifetime(first) {}
    }

    @Test("With an executor of the program's own, keys, lists, and results work as before")
    func executor() async throws {
        let folder = NSTemporaryDirectory() + "executor-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let executor = FakeExecutor()
        let service = try TransferService("org.example.Test") {
            $0.stateDirectory = folder + "/state"
            $0.cacheDirectory = folder + "/cache"
            $0.conditions = ManualConditionSource(ServiceFixture.conditions(isMetered: false))
            $0.executor = executor
        }
        let running = Task { try await service.run() }
        let specification = TransferSpecification(
            downloading: try #require(URL(string: "https://example.org/a")), to: URL(filePath: folder + "/a"))
        let id = try await service.submit(specification, key: "a")
        #expect(try await service.submit(specification, key: "a") == id)
        #expect(try await service.list().map(\.id) == [id])
        for await call in executor.calls { if case .start(id, _) = call { break } }
        executor.finish(id)
        #expect(try await service.completion(of: id).status == 200)
        running.cancel()
        try await running.value
    }

    @Test("Holds and assumptions follow a file, and decide about transfers")
    func file() async throws {
        let folder = NSTemporaryDirectory() + "conditions-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (call, battery) = (folder + "/call", folder + "/battery")
        for file in [call, battery] { #expect(FileManager.default.createFile(atPath: file, contents: nil)) }
        let fixture = try ServiceFixture(policy: StrictPolicy()) {
            $0.conditions = $0.conditions
                .assuming(.power(.battery), from: "test", while: .fileExists(battery))
                .holding("a video call", by: "call-watch", while: .fileExists(call))
        }
        defer { fixture.removeFolder() }
        try await fixture.run {
            let id = try await fixture.service.submit(fixture.specification(kind: .discretionary))
            var waits = fixture.service.waits().makeAsyncIterator()
            #expect(
                await waits.next(isolation: nil)?.sentence.hasPrefix("held by call-watch: a video call since ") == true)
            try FileManager.default.removeItem(atPath: call)
            let assumed = await waits.next(isolation: nil)
            #expect(assumed?.explanation.reasons.map(\.reason.code) == ["onBattery"])
            #expect(try await fixture.service.explain(id).hasPrefix("on battery since"))
            #expect(try await fixture.service.explain(id).contains("(assumed)"))
            try FileManager.default.removeItem(atPath: battery)
            #expect(await waits.next(isolation: nil)?.explanation.reasons.map(\.reason.code) == ["settling"])
        }
    }

    @Test("The machine's conditions keep the contract", arguments: ConditionSourceContract.Check.allCases)
    func contract(_ check: ConditionSourceContract.Check) async throws {
        let later = ClockReading.now.advanced(by: .seconds(3_000_000_000))
        try await ConditionSourceContract { .init(MachineConditions.machine, now: { later }) }.run(check)
    }
}
