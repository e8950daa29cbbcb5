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
        var specification = EngineRig.specification()
        specification.asksForCredentials = true
        return specification
    }

    @Test("A challenge makes the transfer wait for its app, with its bytes and without a failure; the answer goes on")
    func answered() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(specification())
            #expect(await updates.next() == "1 started 1")
            rig.executor.checkpoint(id, at: 50)
            rig.executor.challenge(id, [Self.challenge])
            #expect(await updates.next() == "1 stopped needsApp 50")
            #expect(await rig.engine.challenges(of: id) == [Self.challenge])
            #expect(rig.disk.transfers.first?.retry == nil)
            try await rig.engine.answerChallenge(id, with: .headers([Self.token]))
            #expect(await updates.next() == "1 started 2")
            let stored = [AnsweredChallenge(origin: "http://other:80", answer: .headers([Self.token]), bytes: 50)]
            #expect(rig.disk.transfers.first?.specification.answeredChallenges == stored)
            #expect(rig.executor.specification(of: id)?.answeredChallenges == stored)
            #expect(rig.executor.log.contains(.start(id, offset: 50)))
            #expect(await rig.engine.challenges(of: id).isEmpty)
            rig.executor.finish(id)
            #expect(await updates.next() == "1 finished 200")
        }
        #expect(rig.executor.faults.isEmpty)
    }

    @Test("An answer takes the place of the one before for the same server, and of no other")
    func replaced() async throws {
        let rig = EngineRig()
        let own = AuthenticationChallenge(scheme: .basic, realm: nil, origin: "http://127.0.0.1:80")
        try await rig.run { updates in
            let id = try await rig.engine.submit(specification())
            for (challenge, user) in [(own, "a"), (Self.challenge, "b"), (own, "c")] {
                #expect(await updates.next()?.hasPrefix("1 started") == true)
                rig.executor.challenge(id, [challenge])
                #expect(await updates.next() == "1 stopped needsApp 0")
                try await rig.engine.answerChallenge(id, with: .credential(Credential(user: user, password: "p")))
            }
            _ = await updates.next()
            let answers = rig.executor.specification(of: id)?.answeredChallenges.map { "\($0.origin) \($0.answer)" }
            #expect(answers?.count == 2)
            #expect(answers?.first?.contains("other") == true && answers?.first?.contains("\"b\"") == true)
            #expect(answers?.last?.contains("127.0.0.1") == true && answers?.last?.contains("\"c\"") == true)
        }
    }

    @Test("An answer that gave bytes before it was refused was taken: it has expired, also for the next engine")
    func expired() async throws {
        let refused = AuthenticationChallenge(
            scheme: .bearer, realm: "r", origin: Self.challenge.origin, wasAnswered: true)
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(specification())
            _ = await updates.next()
            rig.executor.challenge(id, [Self.challenge])
            for (bytes, wasAnswered) in [(nil, true), (Int64(50), false), (nil, true), (80, false)] {
                #expect(await updates.next()?.hasPrefix("1 stopped needsApp") == true)
                try await rig.engine.answerChallenge(id, with: .headers([Self.token]))
                #expect(await updates.next()?.hasPrefix("1 started") == true)
                if let bytes { rig.executor.checkpoint(id, at: bytes) }
                rig.executor.challenge(id, [refused])
                await rig.until { await !rig.engine.challenges(of: id).isEmpty }
                #expect(await rig.engine.challenges(of: id).map(\.wasAnswered) == [wasAnswered], "\(bytes ?? -1)")
            }
            _ = await updates.next()
        }
    }

    @Test("A refusal asks the server once more, and its 401 is the end")
    func refused() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(specification())
            _ = await updates.next()
            rig.executor.challenge(id, [Self.challenge])
            _ = await updates.next()
            try await rig.engine.answerChallenge(id, with: .refuse)
            #expect(await updates.next() == "1 started 2")
            #expect(rig.executor.specification(of: id)?.answeredChallenges.first?.answer == .refuse)
            rig.executor.finish(id, status: 401)
            #expect(await updates.next() == "1 finished 401")
        }
    }

    @Test("Who answers where nothing was asked is told, and a cancelled transfer ends in spite of its challenge")
    func notAsked() async throws {
        let rig = EngineRig()
        rig.executor.setStopsAtOnce(false)
        try await rig.run { updates in
            let id = try await rig.engine.submit(specification())
            _ = await updates.next()
            await #expect(throws: ChallengeAnswerError.self) {
                try await rig.engine.answerChallenge(id, with: .refuse)
            }
            await #expect(throws: ChallengeAnswerError.self) {
                try await rig.engine.answerChallenge(TransferID(77), with: .refuse)
            }
            try await rig.engine.cancel(id)
            rig.executor.challenge(id, [Self.challenge])
            #expect(await updates.next() == "1 cancelled")
        }
        await #expect(throws: EngineEndedError.self) {
            try await rig.engine.answerChallenge(TransferID(1), with: .refuse)
        }
    }

    @Test("What was answered leaves the store with the transfer's end")
    func secrets() {
        var specification = specification()
        specification.credential = Credential(user: "u", password: "secret")
        specification.answeredChallenges = [AnsweredChallenge(origin: "o", answer: .headers([Self.token]))]
        #expect(specification.redacted.credential == nil)
        #expect(specification.redacted.answeredChallenges.isEmpty)
        #expect(specification.redacted.asksForCredentials)
    }
}
