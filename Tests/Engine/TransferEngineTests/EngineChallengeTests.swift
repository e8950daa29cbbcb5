// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite(.timeLimit(.minutes(5))) struct EngineChallengeTests {
    private static let challenge = AuthenticationChallenge(scheme: .bearer, realm: "r", origin: "http://other:80")
    private static let token = HeaderField(name: "Authorization", value: "Bearer t")

    private func specification() -> TransferSpecification {
        var specification = EngineFixture.specification()
        specification.asksForCredentials = true
        return specification
    }

    @Test("A challenge makes the transfer wait for its app without a failure; the answer continues it")
    func answered() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(specification())
            #expect(await updates.next() == "1 started 1")
            fixture.executor.checkpoint(id, at: 50)
            fixture.executor.challenge(id, [Self.challenge])
            #expect(await updates.next() == "1 stopped needsApp 50")
            #expect(await fixture.engine.challenges(of: id) == [Self.challenge])
            #expect(fixture.disk.transfers.first?.retry == nil)
            try await fixture.engine.answerChallenge(id, with: .headers([Self.token]))
            #expect(await updates.next() == "1 started 2")
            let stored = [StoredChallengeResponse(origin: "http://other:80", answer: .headers([Self.token]), bytes: 50)]
            #expect(fixture.disk.transfers.first?.specification.challengeResponses == stored)
            #expect(fixture.executor.specification(of: id)?.challengeResponses == stored)
            #expect(fixture.executor.log.contains(.start(id, offset: 50)))
            #expect(await fixture.engine.challenges(of: id).isEmpty)
            fixture.executor.finish(id)
            #expect(await updates.next() == "1 finished 200")
        }
        #expect(fixture.executor.faults.isEmpty)
    }

    @Test("An answer replaces only the previous answer for the same server")
    func replaced() async throws {
        let fixture = EngineFixture()
        let own = AuthenticationChallenge(scheme: .basic, realm: nil, origin: "http://127.0.0.1:80")
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(specification())
            for (challenge, user) in [(own, "a"), (Self.challenge, "b"), (own, "c")] {
                #expect(await updates.next()?.hasPrefix("1 started") == true)
                fixture.executor.challenge(id, [challenge])
                #expect(await updates.next() == "1 stopped needsApp 0")
                try await fixture.engine.answerChallenge(id, with: .credential(Credential(user: user, password: "p")))
            }
            _ = await updates.next()
            let answers = fixture.executor.specification(of: id)?.challengeResponses.map { "\($0.origin) \($0.answer)" }
            #expect(answers?.count == 2)
            #expect(answers?.first?.contains("other") == true && answers?.first?.contains("\"b\"") == true)
            #expect(answers?.last?.contains("127.0.0.1") == true && answers?.last?.contains("\"c\"") == true)
        }
    }

    @Test("A rejected answer that first delivered bytes counts as expired, also in the next run")
    func expired() async throws {
        let refused = AuthenticationChallenge(
            scheme: .bearer, realm: "r", origin: Self.challenge.origin, wasRefused: true)
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(specification())
            _ = await updates.next()
            fixture.executor.challenge(id, [Self.challenge])
            for (bytes, wasRefused) in [(nil, true), (Int64(50), false), (nil, true), (80, false)] {
                #expect(await updates.next()?.hasPrefix("1 stopped needsApp") == true)
                try await fixture.engine.answerChallenge(id, with: .headers([Self.token]))
                #expect(await updates.next()?.hasPrefix("1 started") == true)
                if let bytes { fixture.executor.checkpoint(id, at: bytes) }
                fixture.executor.challenge(id, [refused])
                await fixture.until { await !fixture.engine.challenges(of: id).isEmpty }
                #expect(await fixture.engine.challenges(of: id).map(\.wasRefused) == [wasRefused], "\(bytes ?? -1)")
            }
            _ = await updates.next()
        }
    }

    @Test("After a refusal, the server is asked once more, and its 401 ends the transfer")
    func refused() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(specification())
            _ = await updates.next()
            fixture.executor.challenge(id, [Self.challenge])
            _ = await updates.next()
            try await fixture.engine.answerChallenge(id, with: .refuse)
            #expect(await updates.next() == "1 started 2")
            #expect(fixture.executor.specification(of: id)?.challengeResponses.first?.answer == .refuse)
            fixture.executor.finish(id, status: 401)
            #expect(await updates.next() == "1 finished 401")
        }
    }

    @Test("An unexpected answer throws, and a canceled transfer ends despite its challenge")
    func notAsked() async throws {
        let fixture = EngineFixture()
        fixture.executor.setStopsAtOnce(false)
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(specification())
            _ = await updates.next()
            await #expect(throws: ChallengeAnswerError.self) {
                try await fixture.engine.answerChallenge(id, with: .refuse)
            }
            await #expect(throws: ChallengeAnswerError.self) {
                try await fixture.engine.answerChallenge(TransferID(77), with: .refuse)
            }
            try await fixture.engine.cancel(id)
            fixture.executor.challenge(id, [Self.challenge])
            #expect(await updates.next() == "1 cancelled")
        }
        await #expect(throws: EngineEndedError.self) {
            try await fixture.engine.answerChallenge(TransferID(1), with: .refuse)
        }
    }
}
