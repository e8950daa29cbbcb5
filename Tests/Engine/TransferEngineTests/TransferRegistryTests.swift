// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@testable import TransferEngine

@Suite struct TransferRegistryTests {
    private static let time = ClockReading(instant: Instant.zero, wall: WallTime(secondsSinceEpoch: 1_700_000_000))

    private func specification(app: String = "a", session: String? = nil) -> TransferSpecification {
        var traits = TransferTraits(kind: .normal, host: "http://h:80", app: app, submitted: Self.time.wall)
        traits.session = session
        return TransferSpecification(
            url: "http://u:p@h/f?secret", destination: Destination(directory: "/d", name: nil), traits: traits)
    }

    private func submit(_ id: Int64, _ specification: TransferSpecification, to registry: TransferRegistry) {
        _ = registry.apply(.submitted(NewTransfer(specification)), to: TransferID(id))
    }

    private func unfinished(_ app: String, _ registry: TransferRegistry) -> Int { registry.usage { $0 == app }.count }

    private static let none = Explanation(reasons: [], remedies: [], nextReevaluation: nil, isLate: false)
    private static let isPaused = Explanation(
        reasons: [WaitReason(.suspended, since: time)], remedies: [], nextReevaluation: nil, isLate: false)

    @Test("The registry follows a transfer to its end and counts unfinished transfers by app")
    func life() throws {
        let registry = TransferRegistry()
        let id = TransferID(1)
        submit(1, specification(), to: registry)
        submit(2, specification(app: "b"), to: registry)
        #expect((unfinished("a", registry), unfinished("b", registry), unfinished("c", registry)) == (1, 1, 0))
        #expect(registry.status(of: id)?.state == .waiting)
        #expect(registry.status(of: id)?.url == "http://h/f")
        #expect(registry.apply(.started(attempt: 2), to: id)?.state == .running)
        let running = try #require(registry.apply(.progressed(bytes: 5, total: 9, rate: 3), to: id))
        #expect((running.bytes, running.total, running.rate, running.attempt) == (5, 9, 3, 2))
        let failure = TransferFailure(cause: .connection, message: "gone")
        #expect(registry.apply(.stopped(Self.none, bytes: 6), to: id)?.state == .waiting)
        #expect(registry.apply(.retrying(Self.isPaused, failure, bytes: 6), to: id)?.state == .paused)
        #expect(registry.apply(.retrying(Self.none, failure, bytes: 6), to: id)?.state == .waiting)
        #expect(registry.status(of: id)?.error == "gone")
        let end = try #require(registry.apply(.failed(failure), to: id))
        #expect((end.state, end.errorCode, end.rate) == (.failed, failure.cause.code, nil))
        #expect(unfinished("a", registry) == 0 && !registry.isUnfinished(id))
        #expect(registry.status(of: id) == end)
        #expect(registry.apply(.started(attempt: 1), to: id) == nil)
        #expect(registry.apply(.cancelled, to: TransferID(3)) == nil)
    }

    @Test("The body of a refusal is no progress, and a finished upload has its size")
    func sizes() throws {
        let registry = TransferRegistry()
        submit(1, specification(), to: registry)
        _ = registry.apply(.progressed(bytes: 153, total: 153, rate: 1), to: TransferID(1))
        let missing = registry.apply(.finished(TransferCompletion(status: 404, file: nil)), to: TransferID(1))
        #expect((missing?.state, missing?.bytes, missing?.total) == (.failed, 0, nil))
        var upload = specification()
        upload.upload = UploadSource(path: "/f", size: 700, modified: 1)
        submit(2, upload, to: registry)
        let answer = UploadResponse(body: [], contentType: nil, isCut: false)
        let sent = registry.apply(
            .finished(TransferCompletion(status: 201, file: nil, answer: answer)), to: TransferID(2))
        #expect((sent?.state, sent?.bytes) == (.finished, 700))
    }

    @Test("A pause shows immediately on a waiting transfer, and after the stop on a running one")
    func pauses() {
        let registry = TransferRegistry()
        let id = TransferID(1)
        submit(1, specification(), to: registry)
        #expect(registry.apply(.paused, to: id)?.state == .paused)
        #expect(registry.apply(.resumed, to: id)?.state == .waiting)
        _ = registry.apply(.started(attempt: 1), to: id)
        #expect(registry.apply(.paused, to: id)?.state == .running)
        #expect(registry.apply(.stopped(Self.isPaused, bytes: 1), to: id)?.state == .paused)
        var new = specification()
        (new.traits.kind, new.traits.priority, new.url) = (.discretionary, 9, "http://other/g?key=1")
        let changed = registry.apply(.changed(new, isMoved: false), to: id)
        #expect((changed?.kind, changed?.priority, changed?.state) == (.discretionary, 9, .paused))
        #expect(registry.apply(.changed(new, isMoved: true), to: id)?.url == "http://other/g")
    }

    @Test("Stored transfers appear in their stored state")
    func stored() {
        let registry = TransferRegistry()
        var transfer = StoredTransfer(
            id: TransferID(4), specification: specification(),
            resume: ResumePoint(path: "/p", offset: 10, total: 20, validator: nil, bootID: "b"), isSuspended: true)
        registry.add(transfer)
        #expect(registry.status(of: TransferID(4))?.state == .paused)
        #expect(registry.status(of: TransferID(4))?.bytes == 10)
        transfer.id = TransferID(5)
        transfer.ending = .cancelled
        registry.add(transfer)
        #expect(registry.status(of: TransferID(5))?.state == .cancelled)
        #expect(unfinished("a", registry) == 1)
    }

    @Test("A session is listed while it has an unfinished transfer")
    func sessions() {
        let registry = TransferRegistry()
        submit(1, specification(session: "s"), to: registry)
        submit(2, specification(session: "s"), to: registry)
        submit(3, specification(app: "b"), to: registry)
        // A transfer that is submitted twice is counted once.
        submit(2, specification(session: "s"), to: registry)
        #expect(registry.unfinishedNumbers { $0 == "a" } == [TransferID(1), TransferID(2)])
        #expect(registry.unfinished { _, session in session == nil }.map(\.id) == [TransferID(3)])
        #expect(registry.sessions { _ in true } == [SessionKey(app: "a", identifier: "s")])
        #expect(registry.sessions { $0 == "b" }.isEmpty)
        _ = registry.apply(.cancelled, to: TransferID(1))
        _ = registry.apply(.cancelled, to: TransferID(1))
        #expect(registry.sessions { _ in true }.count == 1)
        _ = registry.apply(.cancelled, to: TransferID(2))
        #expect(registry.sessions { _ in true }.isEmpty && unfinished("a", registry) == 0)
        #expect(registry.usage { _ in true }.bytes == BookkeepingSize(of: specification(app: "b")).bytes)
    }

    @Test("The registry keeps the latest ended transfers and returns them newest first")
    func ended() {
        let registry = TransferRegistry(endedLimit: 10)
        for id in 1...100 as ClosedRange<Int64> {
            submit(id, specification(app: id.isMultiple(of: 2) ? "a" : "b"), to: registry)
            _ = registry.apply(.cancelled, to: TransferID(id))
        }
        #expect(registry.latestEnded(limit: 3) { _, _ in true }.map(\.id.rawValue) == [100, 99, 98])
        #expect(registry.latestEnded(limit: 2) { app, _ in app == "b" }.map(\.id.rawValue) == [99, 97])
        #expect((10...12).contains(registry.latestEnded(limit: .max) { _, _ in true }.count))
        #expect(registry.status(of: TransferID(1)) == nil)
    }

    @Test("The registry keeps fewer ended transfers if their texts are long, to limit memory")
    func endedBytes() {
        let bytes = BookkeepingSize(of: specification()).bytes
        let registry = TransferRegistry(endedLimit: 10, endedBytes: 5 * bytes)
        for id in 1...100 as ClosedRange<Int64> {
            submit(id, specification(), to: registry)
            _ = registry.apply(.cancelled, to: TransferID(id))
            let kept = registry.latestEnded(limit: .max) { _, _ in true }.map(\.id.rawValue)
            #expect((Int64(1)...5).contains(Int64(kept.count)) && kept.first == id)
        }
        // A single transfer that exceeds the limit is not kept.
        var long = specification()
        long.destination.name = String(repeating: "n", count: 5 * bytes)
        submit(101, long, to: registry)
        _ = registry.apply(.cancelled, to: TransferID(101))
        #expect(registry.status(of: TransferID(101)) == nil)
    }
}
