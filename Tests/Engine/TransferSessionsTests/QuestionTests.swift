// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting

@Suite("Asking apps before a task goes on")
struct QuestionTests {
    private let command = AppRegistration.command(["/bin/app"])

    private func delayed(_ number: Int, by seconds: Int64) -> TaskSnapshot {
        var snapshot = TaskSnapshot.download(number)
        snapshot.earliestBegin = HostRig.start.wall.advanced(by: .seconds(seconds))
        return snapshot
    }

    private func pass(_ rig: HostRig, _ seconds: Int64) async {
        await rig.until("a wait") { rig.sleeper.durations.contains(.seconds(seconds)) }
        rig.alarm.advance(by: .seconds(seconds))
        rig.sleeper.wake(.seconds(seconds))
    }

    @Test("T3: when its date has come, a connected app is asked, and the task begins as it was")
    func asBefore() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client, registration: command)
            try await rig.host.post(.submit(delayed(1, by: 300)), in: app.key(), from: app.client.name)
            let id = await rig.transfer(1, app.key())
            await pass(rig, 300)
            await rig.until("the question") { app.lines == ["1 begin? http://h/1"] }
            #expect(rig.executor.specification(of: id) == nil)
            try await rig.host.post(.begin(1, .asBefore), in: app.key(), from: app.client.name)
            _ = await rig.running(1, app.key())
        }
    }

    @Test("T3: with another request, that is what is asked of the server; with cancel, nothing is")
    func otherwise() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client, registration: command)
            for number in 1...2 {
                try await rig.host.post(.submit(delayed(number, by: 300)), in: app.key(), from: app.client.name)
                _ = await rig.transfer(number, app.key())
            }
            await rig.until("two waits") { rig.sleeper.durations.count == 2 }
            await pass(rig, 300)
            await rig.until("the questions") { app.lines.count == 2 }
            let fresh = RequestDescription(url: "http://h/fresh", headers: ["Authorization": "Bearer new"])
            try await rig.host.post(.begin(1, .with(fresh)), in: app.key(), from: app.client.name)
            let id = await rig.running(1, app.key(), again: 1)
            #expect(rig.executor.specification(of: id)?.url == "http://h/fresh")
            try await rig.host.post(.begin(2, .cancel), in: app.key(), from: app.client.name)
            await rig.until("the end") { app.lines.last == "2 completed -999" }
            rig.executor.finish(id)
            await rig.until("the end") { app.lines.last == "1 completed " }
        }
    }

    @Test("T3, L2: an app that does not run is started for it; one that has nothing to say, never again")
    func starts() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client, registration: command)
            try await rig.host.post(.submit(delayed(1, by: 300)), in: app.key(), from: app.client.name)
            try await rig.host.post(.submit(delayed(2, by: 500)), in: app.key(), from: app.client.name)
            await rig.host.disconnected(app.client.name)
            await pass(rig, 300)
            await rig.until("the start") { rig.launcher.calls.count == 1 }
            let later = PlayedApp(process: 101)
            _ = try await rig.host.open(.named(), by: later.client)
            #expect(later.lines.first == "1 begin? http://h/1")
            try await rig.host.post(.begin(1, .unasked), in: app.key(), from: later.client.name)
            _ = await rig.running(1, app.key())
            await rig.host.disconnected(later.client.name)
            rig.alarm.advance(by: .seconds(200))
            rig.sleeper.wake(.seconds(500))
            _ = await rig.running(2, app.key())
            #expect(rig.launcher.calls.count == 1)
        }
    }

    @Test(
        "T3: where a person, or the app, gives a waiting task another date, the app is asked then",
        arguments: [600, 1, nil] as [Int64?])
    func otherDate(seconds: Int64?) async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client, registration: command)
            try await rig.host.post(.submit(delayed(1, by: 300)), in: app.key(), from: app.client.name)
            let id = await rig.transfer(1, app.key())
            await rig.until("the wait") { rig.sleeper.durations.contains(.seconds(300)) }
            let date = seconds.map { HostRig.start.wall.advanced(by: .seconds($0)) }
            if seconds == 600 {
                // The app itself changes the date.
                try await rig.host.post(.change(delayed(1, by: 600)), in: app.key(), from: app.client.name)
            } else {
                let constraints = Constraints(notBefore: date.map(NotBeforeConstraint.init))
                try await rig.engine.change(id, TransferChange(constraints: constraints))
            }
            if let seconds {
                await pass(rig, seconds)
                if seconds < 300 { rig.sleeper.wake(.seconds(300)) }
            }
            await rig.until("the question") { app.lines.contains("1 begin? http://h/1") }
            try await rig.host.post(.begin(1, .asBefore), in: app.key(), from: app.client.name)
            _ = await rig.running(1, app.key())
            #expect(app.lines.count { $0.contains("begin?") } == 1)
        }
    }

    @Test("T3, L2: an app that answers one of two questions and goes is started for the other at once")
    func leaves() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client, registration: command)
            for number in 1...2 {
                try await rig.host.post(.submit(delayed(number, by: 300)), in: app.key(), from: app.client.name)
            }
            await rig.host.disconnected(app.client.name)
            await pass(rig, 300)
            for number in 1...2 {
                await rig.until("start \(number)") { rig.launcher.calls.count == number }
                let started = PlayedApp(process: Int32(100 + number))
                _ = try await rig.host.open(.named(), by: started.client)
                await rig.until("the question") { started.lines.contains("\(number) begin? http://h/\(number)") }
                try await rig.host.post(.begin(number, .asBefore), in: app.key(), from: started.client.name)
                _ = await rig.running(number, app.key())
                await rig.host.disconnected(started.client.name)
            }
            #expect(rig.launcher.calls.count == 2)
        }
    }

    @Test("T8: a server's demand for a login reaches the app, which is started for it; its answer goes to the server")
    func login() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client, registration: command)
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let id = await rig.running(1, app.key())
            await rig.host.disconnected(app.client.name)
            rig.executor.challenge(
                id, [AuthenticationChallenge(scheme: .basic, realm: "r", origin: "https://h:8443")])
            await rig.until("the start") { rig.launcher.calls.count == 1 }
            let later = PlayedApp(process: 101)
            _ = try await rig.host.open(.named(), by: later.client)
            #expect(later.lines.first == "1 login? basic h")
            try await rig.host.post(
                .answer(1, .credential(user: "u", password: "p")), in: app.key(), from: later.client.name)
            await rig.until("the next attempt") {
                rig.executor.specification(of: id)?.answeredChallenges.map(\.answer) == [
                    .credential(Credential(user: "u", password: "p"))
                ]
            }
            rig.executor.finish(id)
            await rig.until("the end") { later.lines.last == "finished" || later.lines.last == "1 completed " }
        }
    }

    private static let basic = AuthenticationChallenge(scheme: .basic, realm: "r", origin: "https://h:443")
    private static let bearer = AuthenticationChallenge(scheme: .bearer, realm: nil, origin: "https://h:443")

    /// Submits a task whose server asks for a login, and returns the answer for the next attempt.
    private func answer(
        _ rig: HostRig, answersBearer: Bool, _ challenges: [AuthenticationChallenge], expecting question: String?,
        reply: ChallengeReply = .none
    ) async throws -> ChallengeAnswer? {
        let app = PlayedApp()
        _ = try await rig.host.open(
            .named { $0.answersBearerChallenges = answersBearer }, by: app.client, registration: command)
        try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
        let id = await rig.running(1, app.key())
        await rig.host.disconnected(app.client.name)
        rig.executor.challenge(id, challenges)
        if let question {
            await rig.until("the start") { rig.launcher.calls.count == 1 }
            let later = PlayedApp(process: 101)
            _ = try await rig.host.open(
                .named { $0.answersBearerChallenges = answersBearer }, by: later.client, registration: command)
            #expect(later.lines.first == question)
            try await rig.host.post(.answer(1, reply), in: app.key(), from: later.client.name)
        }
        await rig.until("the next attempt") {
            rig.executor.specification(of: id)?.answeredChallenges.isEmpty == false
        }
        #expect(rig.launcher.calls.count == (question == nil ? 0 : 1))
        return rig.executor.specification(of: id)?.answeredChallenges.first?.answer
    }

    @Test("A server that wants a token has the app started where that gives tokens, and the refusal stays where not")
    func token() async throws {
        let field = HeaderField(name: "Authorization", value: "Bearer t.1")
        for (answersBearer, reply, expected) in [
            (true, ChallengeReply.token("t.1"), ChallengeAnswer.headers([field])), (false, .none, .refuse),
            (true, .credential(user: "", password: "t.1"), .refuse), (true, .token("t\r\n"), .refuse),
            (true, .none, .refuse),
        ] {
            let rig = HostRig()
            try await rig.run {
                let answer = try await self.answer(
                    rig, answersBearer: answersBearer, [Self.bearer],
                    expecting: answersBearer ? "1 login? bearer h" : nil, reply: reply)
                #expect(answer == expected, "\(reply)")
            }
        }
    }

    @Test("Of a server that takes either, the app is asked for what it gives")
    func either() async throws {
        for (answersBearer, scheme) in [(true, "bearer"), (false, "basic")] {
            for challenges in [[Self.basic, Self.bearer], [Self.bearer, Self.basic]] {
                let rig = HostRig()
                try await rig.run {
                    // A token is not a password.
                    let answer = try await self.answer(
                        rig, answersBearer: answersBearer, challenges, expecting: "1 login? \(scheme) h",
                        reply: answersBearer ? .credential(user: "u", password: "p") : .token("t"))
                    #expect(answer == .refuse)
                }
            }
        }
        let rig = HostRig()
        try await rig.run {
            let answer = try await self.answer(
                rig, answersBearer: true, [Self.basic], expecting: "1 login? basic h",
                reply: .credential(user: "u", password: "p"))
            #expect(answer == .credential(Credential(user: "u", password: "p")))
        }
    }
}
