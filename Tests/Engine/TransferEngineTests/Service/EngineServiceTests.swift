// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("The service of an engine in the same process", .timeLimit(.minutes(5))) struct EngineServiceTests {
    private static func request(_ kind: WorkKind, session: String? = nil) -> TransferRequest {
        var specification = EngineFixture.specification(kind)
        specification.traits.session = session
        return TransferRequest(specification)
    }

    @Test("A submitted transfer is listed by session, shown with its constraints, and explained")
    func asking() async throws {
        let fixture = EngineFixture(
            conditions: EngineFixture.goodConditions(power: .battery), registry: TransferRegistry())
        try await fixture.run { _ in
            let service = EngineService(fixture.engine, localTime: .utc)
            let ids = try await service.submit([
                Self.request(.discretionary, session: "a"), Self.request(.discretionary, session: "b"),
            ])
            #expect(fixture.disk.transfers.map(\.id) == ids)
            let reply = try await service.explain(ids[1])
            #expect(reply.reasons.map(\.code) == ["onBattery"])
            #expect(reply.sentence.hasPrefix("on battery"))
            var filter = TransferFilter()
            filter.session = "b"
            #expect(try await service.list(filter).map(\.id) == [ids[1]])
            #expect(try await service.list(filter)[0].sentence == nil)
            filter.explainedLimit = 1
            #expect(try await service.list(filter)[0].sentence?.hasPrefix("on battery") == true)
            // A longer list keeps the reasons of its first transfers.
            filter.session = nil
            #expect(try await service.list(filter).map { $0.sentence != nil } == [true, false])
            filter.isExplained = true
            #expect(try await service.list(filter).map { $0.sentence != nil } == [true, true])
            filter = TransferFilter()
            filter.session = "b"
            let details = try await service.show(ids[1])
            #expect(details.directory == "/tmp" && details.constraints == ConstraintChange())
            #expect(details.status.state == .waiting && details.status.sentence != nil)
            await #expect(throws: TransferStoreError.self) { try await service.show(TransferID(77)) }
        }
    }

    @Test("A change keeps unnamed constraints, and an action is durable when it returns")
    func acting() async throws {
        let fixture = EngineFixture(
            conditions: EngineFixture.goodConditions(power: .battery), registry: TransferRegistry())
        try await fixture.run { _ in
            let service = EngineService(fixture.engine, localTime: .utc)
            let id = try await service.submit([Self.request(.discretionary)])[0]
            var change = ChangeRequest()
            change.constraints.metered = .unmetered
            try await service.change(id, change)
            (change.constraints, change.priority) = (ConstraintChange(), 700)
            change.constraints.roaming = false
            try await service.change(id, change)
            let traits = try #require(fixture.disk.transfers.first?.specification.traits)
            #expect(traits.priority == 700 && traits.constraints.metered == .unmetered)
            #expect(!traits.constraints.connection.allowsRoaming)
            try await service.control([id], .pause)
            #expect(fixture.disk.transfers.first?.isSuspended == true)
            try await service.control([id], .cancel)
            #expect(try await service.explain(id).sentence == "the transfer is canceled")
            #expect(try await service.show(id).constraints == nil)
            var filter = TransferFilter()
            #expect(try await service.list(filter).isEmpty)
            filter.ended = 5
            #expect(try await service.list(filter).map(\.state) == [.cancelled])
        }
    }

    @Test("A change that arrives while the queue is being read finds its transfer")
    func changingDuringRecovery() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let fixture = EngineFixture(conditions: nil, registry: TransferRegistry(), recoveryGate: gate.stream)
        try await fixture.run { _ in
            let service = EngineService(fixture.engine, localTime: .utc)
            let id = try await service.submit([Self.request(.discretionary)])[0]
            fixture.source.send(EngineFixture.goodConditions(power: .battery))
            await fixture.until("the recovery") { fixture.journal.contains(["recovering"]) }
            let change = Task {
                var change = ChangeRequest()
                change.constraints.metered = .unmetered
                try await service.change(id, change)
            }
            await fixture.until("the question") { fixture.journal.contains(["recovering", "reading"]) }
            gate.continuation.finish()
            try await change.value
            #expect(fixture.disk.transfers.first?.specification.traits.constraints.metered == .unmetered)
        }
    }

    @Test("A transfer that has ended in the meantime does not keep the others from starting")
    func startingNow() async throws {
        let fixture = EngineFixture(
            conditions: EngineFixture.goodConditions(power: .battery), registry: TransferRegistry())
        try await fixture.run { _ in
            let service = EngineService(fixture.engine, localTime: .utc)
            let id = try await service.submit([Self.request(.discretionary)])[0]
            try await service.control([TransferID(77), id], .startNow)
            #expect(fixture.disk.transfers.first?.specification.traits.kind == .userInitiated)
            await #expect(throws: TransferStoreError.self) { try await service.control([TransferID(77)], .startNow) }
        }
    }

    @Test("Events carry the resulting states, and the first unfinished transfers report their wait reasons")
    func following() async throws {
        let fixture = EngineFixture(
            conditions: EngineFixture.goodConditions(power: .battery), registry: TransferRegistry())
        let service = EngineService(fixture.engine, localTime: .utc, explanationLimit: 1)
        try await fixture.run { _ in
            var lines = UpdateLines(service.updates())
            let ids = try await service.submit([Self.request(.discretionary), Self.request(.discretionary)])
            #expect(await lines.next(3) == ["1 waiting", "2 waiting", "1 waiting, waits for onBattery"])
            try await service.control([ids[0]], .cancel)
            #expect(await lines.next(2) == ["1 cancelled, ended", "2 waiting, waits for onBattery"])
            let id = try await service.submit([Self.request(.userInitiated)])[0]
            #expect(await lines.next(2) == ["3 waiting", "3 running, started"])
            fixture.executor.progress(id, to: 5, of: 10)
            #expect(await lines.next(1) == ["3 running, 5 of 10"])
            fixture.executor.finish(id)
            #expect(await lines.next(1) == ["3 finished, ended with 200"])
        }
    }
}

/// The updates of a service about transfers, as lines.
private struct UpdateLines {
    private var iterator: AsyncStream<ServiceUpdate>.Iterator

    init(_ stream: AsyncStream<ServiceUpdate>) { iterator = stream.makeAsyncIterator() }

    /// Returns the next `count` lines, or fewer at the end of the stream.
    mutating func next(_ count: Int) async -> [String] {
        var lines: [String] = []
        while lines.count < count, let update = await iterator.next() {
            guard case .changed(let status, let event) = update else { continue }
            lines.append("\(status.id) \(status.state)" + (event.map { ", \(Self.text(of: $0, status))" } ?? ""))
        }
        return lines
    }

    private static func text(of event: TransferEvent, _ status: TransferStatus) -> String {
        switch event.kind {
        case .waiting(let explanation): "waits for \(explanation.reasons.map(\.code).joined(separator: " "))"
        case .started: "started"
        case .progressed: "\(status.bytes) of \(status.total ?? 0)"
        case .restarted(let cause): "restarted, \(cause.rawValue)"
        case .stopped: "stopped"
        case .retrying: "retrying"
        case .deadline: "deadline"
        case .ended(let completion): "ended" + (completion.map { " with \($0.status)" } ?? "")
        }
    }
}
