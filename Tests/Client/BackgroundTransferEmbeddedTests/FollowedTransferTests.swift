// SPDX-License-Identifier: Apache-2.0
import BackgroundTransferEmbedded
import Foundation
import Testing
import TransferTesting

@Suite("Following and controlling a service's transfers", .serialized, .timeLimit(.minutes(5)))
struct FollowedTransferTests {
    @Test("The updates of a transfer begin with its state and end with its end")
    func updates() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        try await fixture.run {
            let id = try await fixture.service.submit(fixture.specification())
            await fixture.waitForStart(of: id)
            var states: [TransferStatus.State] = []
            for await status in try await fixture.service.updates(of: id) {
                states.append(status.state)
                if states.count == 1 { fixture.executor.finish(id) }
            }
            #expect(states.last == .finished)
            #expect(states.first != .finished)
            // The updates of an ended transfer consist of its end.
            let ended = try await fixture.service.updates(of: id)
            #expect(await ended.reduce(into: []) { $0.append($1.state) } == [.finished])
            await #expect(throws: TransferServiceError.unknown(TransferID(99))) {
                _ = try await fixture.service.updates(of: TransferID(99))
            }
        }
    }

    @Test("A waiting transfer says why, in updates, in lists, and in explanations; another policy lets it start")
    func waiting() async throws {
        let fixture = try ServiceFixture(isMetered: true)
        defer { fixture.removeFolder() }
        try await fixture.run {
            let id = try await fixture.service.submit(fixture.specification(kind: .discretionary))
            #expect(try await fixture.service.explain(id).contains("metered"))
            #expect(await fixture.service.explanation(of: id)?.reasons.map(\.reason.code) == ["metered"])
            #expect(try await fixture.service.list().first?.sentence?.contains("metered") == true)
            // Both followers receive the reason. The end of one does not end the reports to the other.
            for _ in 0..<2 {
                for await status in try await fixture.service.updates(of: id) {
                    #expect(status.state == .waiting)
                    #expect(status.sentence?.contains("metered") == true)
                    break
                }
            }
            await fixture.service.setPolicy(AlwaysPolicy())
            await fixture.waitForStart(of: id)
            #expect(try await fixture.service.explain(id) == "running")
            await #expect(throws: TransferServiceError.unknown(TransferID(99))) {
                _ = try await fixture.service.explain(TransferID(99))
            }
        }
    }

    @Test("All followers of a waiting transfer receive new reasons, even if one of them stops")
    func severalFollowers() async throws {
        let fixture = try ServiceFixture(isMetered: true)
        defer { fixture.removeFolder() }
        try await fixture.run {
            let id = try await fixture.service.submit(fixture.specification(kind: .discretionary))
            let updates = try await fixture.service.updates(of: id)
            let sentences = Task { await updates.map(\.sentence).first { $0?.contains("paused") == true } }
            for await _ in try await fixture.service.updates(of: id) { break }
            #expect(try await fixture.service.pause(id))
            #expect(await sentences.value != nil)
            #expect(try await fixture.service.list().map(\.state) == [.paused])
            #expect(try await fixture.service.resume(id))
            try await fixture.service.change(id, .startNow)
            await fixture.waitForStart(of: id)
        }
    }

    @Test("The updates of all transfers include transfers that are submitted later, and end with the service")
    func allUpdates() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        let updates = fixture.service.updates()
        let ends = Task { await updates.filter { $0.state.isEnded }.reduce(into: []) { $0.append($1.id) } }
        let ids = try await fixture.run {
            let first = try await fixture.finish(fixture.specification("a"))
            return [first, try await fixture.finish(fixture.specification("b"), status: 404)]
        }
        #expect(await ends.value == ids)
    }

    @Test("Ended transfers are listed newest first, also those of earlier runs")
    func endedList() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        let ids = try await fixture.run {
            [
                try await fixture.finish(fixture.specification("a")),
                try await fixture.finish(fixture.specification("b")),
            ]
        }
        let later = try ServiceFixture(in: fixture.folder)
        try await later.run {
            let all = try await later.service.list(ended: 5)
            #expect(all.map(\.id) == ids.reversed())
            let latest = try await later.service.list(ended: 1)
            #expect(latest.map(\.id) == [ids[1]])
            let unfinished = try await later.service.list()
            #expect(unfinished.isEmpty)
        }
    }
}

/// A policy that always lets work run.
private struct AlwaysPolicy: Policy {
    func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        .run(relyingOn: [], reevaluateAt: nil)
    }
}
