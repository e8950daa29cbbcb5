// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting

@Suite("Requests to apps")
struct AppRequestTests {
    private let command = AppRegistration.command(["/bin/app"])

    private func delayed(_ number: Int, by seconds: Int64) -> TaskSnapshot {
        var snapshot = TaskSnapshot.download(number)
        snapshot.earliestBegin = HostFixture.start.wall.advanced(by: .seconds(seconds))
        return snapshot
    }

    private func pass(_ fixture: HostFixture, _ seconds: Int64) async {
        await fixture.until("a wait") { fixture.sleeper.durations.contains(.seconds(seconds)) }
        fixture.alarm.advance(by: .seconds(seconds))
        fixture.sleeper.wake(.seconds(seconds))
    }

    @Test("T3: a replaced request is sent to the server; a canceled task sends none")
    func otherwise() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client, registration: command)
            for number in 1...2 {
                try await fixture.host.post(.submit(delayed(number, by: 300)), in: app.key(), from: app.client.name)
                _ = await fixture.transfer(number, app.key())
            }
            await fixture.until("two waits") { fixture.sleeper.durations.count == 2 }
            await pass(fixture, 300)
            await fixture.until("the questions") { app.lines.count == 2 }
            let fresh = RequestDescription(url: "http://h/fresh", headers: ["Authorization": "Bearer new"])
            try await fixture.host.post(.begin(1, .with(fresh)), in: app.key(), from: app.client.name)
            let id = await fixture.running(1, app.key(), again: 1)
            #expect(fixture.executor.specification(of: id)?.url == "http://h/fresh")
            try await fixture.host.post(.begin(2, .cancel), in: app.key(), from: app.client.name)
            await fixture.until("the end") { app.lines.last == "2 completed -999" }
            fixture.executor.finish(id)
            await fixture.until("the end") { app.lines.last == "1 completed " }
        }
    }

    @Test("After the user has changed a task, the app's change of another property undoes none of it")
    func bothChange() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client, registration: command)
            try await fixture.host.post(.submit(delayed(1, by: 300)), in: app.key(), from: app.client.name)
            let id = await fixture.transfer(1, app.key())
            await fixture.until("the wait") { fixture.sleeper.durations.contains(.seconds(300)) }
            let date = HostFixture.start.wall.advanced(by: .seconds(900))
            let constraints = Constraints(power: .ac, notBefore: NotBeforeConstraint(date))
            try await fixture.engine.change(id, TransferChange(constraints: constraints, priority: 7))
            await fixture.until("the other wait") { fixture.sleeper.durations.contains(.seconds(600)) }
            var described = delayed(1, by: 300)
            described.note = "mine"
            try await fixture.host.post(.change(described), in: app.key(), from: app.client.name)
            #expect(traits(of: id, fixture)?.constraints == constraints)
            #expect(traits(of: id, fixture)?.priority == 7)
            described.priority = 1
            try await fixture.host.post(.change(described), in: app.key(), from: app.client.name)
            #expect(traits(of: id, fixture)?.constraints == constraints)
            #expect(traits(of: id, fixture)?.priority == 1000)
            let tasks = await fixture.host.read { $0.tasks(of: app.key()) }
            #expect(tasks.map(\.earliestBegin) == [date] && tasks.map(\.note) == ["mine"])
            // The app's own date applies, and the user's other constraints remain.
            described.earliestBegin = HostFixture.start.wall.advanced(by: .seconds(400))
            try await fixture.host.post(.change(described), in: app.key(), from: app.client.name)
            await fixture.until("the app's wait") { fixture.sleeper.durations.contains(.seconds(400)) }
            #expect(traits(of: id, fixture)?.constraints.notBefore?.date == described.earliestBegin)
            #expect(traits(of: id, fixture)?.constraints.power == .ac)
        }
    }

    private func traits(of id: TransferID, _ fixture: HostFixture) -> TransferTraits? {
        fixture.disks.transfers.transfers.first { $0.id == id }?.specification.traits
    }

    @Test("A process that knows the user's date may set the date of the former process again")
    func formerDate() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client, registration: command)
            try await fixture.host.post(.submit(delayed(1, by: 300)), in: app.key(), from: app.client.name)
            let id = await fixture.transfer(1, app.key())
            await fixture.until("the wait") { fixture.sleeper.durations.contains(.seconds(300)) }
            let date = HostFixture.start.wall.advanced(by: .seconds(500))
            let constraints = Constraints(notBefore: NotBeforeConstraint(date))
            try await fixture.engine.change(id, TransferChange(constraints: constraints))
            await fixture.until("the user's wait") { fixture.sleeper.durations.contains(.seconds(500)) }
            await fixture.host.disconnected(app.client.name)
            let later = FakeApp(process: 101)
            let state = try await fixture.host.open(.named(), by: later.client)
            #expect(state.tasks.map(\.earliestBegin) == [date])
            try await fixture.host.post(.change(delayed(1, by: 300)), in: app.key(), from: later.client.name)
            await fixture.until("the app's wait") { fixture.sleeper.durations.contains(.seconds(300)) }
        }
    }

    private static let basic = AuthenticationChallenge(scheme: .basic, realm: "r", origin: "https://h:443")
    private static let bearer = AuthenticationChallenge(scheme: .bearer, realm: nil, origin: "https://h:443")

    /// Submits a task whose server asks for a login, and returns the answer for the next attempt.
    private func answer(
        _ fixture: HostFixture, answersBearer: Bool, _ challenges: [AuthenticationChallenge],
        expecting question: String?,
        reply: ChallengeReply = .none
    ) async throws -> ChallengeResponse? {
        let app = FakeApp()
        _ = try await fixture.host.open(
            .named { $0.answersBearerChallenges = answersBearer }, by: app.client, registration: command)
        try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
        let id = await fixture.running(1, app.key())
        await fixture.host.disconnected(app.client.name)
        fixture.executor.challenge(id, challenges)
        if let question {
            await fixture.until("the start") { fixture.launcher.calls.count == 1 }
            let later = FakeApp(process: 101)
            _ = try await fixture.host.open(
                .named { $0.answersBearerChallenges = answersBearer }, by: later.client, registration: command)
            #expect(later.lines.first == question)
            try await fixture.host.post(.answer(1, reply), in: app.key(), from: later.client.name)
        }
        await fixture.until("the next attempt") {
            fixture.executor.specification(of: id)?.challengeResponses.isEmpty == false
        }
        #expect(fixture.launcher.calls.count == (question == nil ? 0 : 1))
        return fixture.executor.specification(of: id)?.challengeResponses.first?.answer
    }

    @Test("A token challenge starts an app that provides tokens; for other apps, the refusal is the response")
    func token() async throws {
        let field = HeaderField(name: "Authorization", value: "Bearer t.1")
        for (answersBearer, reply, expected) in [
            (true, ChallengeReply.token("t.1"), ChallengeResponse.headers([field])), (false, .none, .refuse),
            (true, .credential(user: "", password: "t.1"), .refuse), (true, .token("t\r\n"), .refuse),
            (true, .none, .refuse),
        ] {
            let fixture = HostFixture()
            try await fixture.run {
                let answer = try await self.answer(
                    fixture, answersBearer: answersBearer, [Self.bearer],
                    expecting: answersBearer ? "1 login? bearer h" : nil, reply: reply)
                #expect(answer == expected, "\(reply)")
            }
        }
    }

    @Test("If a server accepts several schemes, the app is asked for the scheme that it supports")
    func either() async throws {
        for (answersBearer, scheme) in [(true, "bearer"), (false, "basic")] {
            for challenges in [[Self.basic, Self.bearer], [Self.bearer, Self.basic]] {
                let fixture = HostFixture()
                try await fixture.run {
                    // A token is not a password.
                    let answer = try await self.answer(
                        fixture, answersBearer: answersBearer, challenges, expecting: "1 login? \(scheme) h",
                        reply: answersBearer ? .credential(user: "u", password: "p") : .token("t"))
                    #expect(answer == .refuse)
                }
            }
        }
        let fixture = HostFixture()
        try await fixture.run {
            let answer = try await self.answer(
                fixture, answersBearer: true, [Self.basic], expecting: "1 login? basic h",
                reply: .credential(user: "u", password: "p"))
            #expect(answer == .credential(Credential(user: "u", password: "p")))
        }
    }
}
