// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import FoundationNetworking
import TransferTesting

/// The checks of rules about sessions and tasks.
extension SessionRuleCheck {
    func twoApps() async throws {
        let (one, other) = (try await open(), try await open(app: "org.example.Other"))
        other.listen()
        one.listen()
        try one.session.download(request(.file(100))).resume()
        try await until("the end") { one.lines.last == "1 completed" }
        try expectEqual(other.lines, [], "the other app's events")
        try expectEqual(try await other.session.unfinishedTasks().count, 0, "the other app's tasks")
        let own = try other.session.download(request(.file(200)))
        try expectEqual(own.identifier, 1, "the other app's first number")
    }

    func oneProcess() async throws {
        let first = try await open()
        let second = try await harness.join(as: SessionConformance.app)
        do {
            _ = try await BackgroundSession.open(BackgroundSessionConfiguration(identifier: "s"), over: second.channel)
            throw ContractFailure("a second process opened the session")
        } catch let error as SessionError {
            try expectEqual(error.code, .inUse, "the refusal")
            try expect(error.owner != nil, "the refusal names no process")
            try expect(
                error.message.contains("\(error.owner ?? 0)"), "the message does not name the process: \(error)")
        }
        await first.leave()
        try await until("the session to be available") {
            let configuration = BackgroundSessionConfiguration(identifier: "s")
            return (try? await BackgroundSession.open(configuration, over: second.channel)) != nil
        }
    }

    func invalidated() async throws {
        let process = try await open()
        process.listen()
        try process.session.download(request(.stalling(1000, at: 100, times: 99))).resume()
        process.session.invalidateAndCancel()
        try await until("the end") { process.lines == ["1 completed -999", "invalidated"] }
        do {
            _ = try process.session.download(request(.file(1)))
            throw ContractFailure("an invalidated session accepted a task")
        } catch let error as SessionError {
            try expectEqual(error.code, .invalidated, "the refusal")
        }
    }

    func discretionary() async throws {
        try await harness.setMachine(isOnACPower: false)
        let patient = try await open("patient") { $0.isDiscretionary = true }
        let other = try await open("other")
        patient.listen()
        other.listen()
        try patient.session.download(request(.file(100))).resume()
        try other.session.download(request(.file(200))).resume()
        try await until("the end") { other.lines.last == "1 completed" }
        try expectEqual(server.requests(for: server.address(.file(100))).count, 0, "requests on battery")
        // The cost of the network is irrelevant, because the server is on this machine.
        try await harness.setMachine(isOnACPower: true)
        try await until("the end") { patient.lines.last == "1 completed" }
    }

    func resourceTimeout() async throws {
        let first = try await open { $0.resourceTimeout = 3 }
        try first.session.download(request(.stalling(1000, at: 100, times: 99))).resume()
        await first.leave()
        try await harness.restart()
        let second = try await open { $0.resourceTimeout = 3 }
        second.listen()
        try await until("the end") { second.lines.contains("1 completed -1001") }
    }

    func headers() async throws {
        let process = try await open { $0.additionalHeaders = ["X-Session": "session", "X-Both": "session"] }
        process.listen()
        var request = try request(.file(10))
        request.setValue("own", forHTTPHeaderField: "X-Both")
        try process.session.download(request).resume()
        try await until("the end") { process.lines.last == "1 completed" }
        let fields = server.requests(for: server.address(.file(10))).first?.fields
        try expectEqual(fields?["x-session"], "session", "the session's field")
        try expectEqual(fields?["x-both"], "own", "the request's field")
    }

    // MARK: Tasks

    func suspendedAtFirst() async throws {
        let process = try await open()
        process.listen()
        let first = try process.session.download(request(.file(10)))
        try process.session.download(request(.file(20))).resume()
        try await until("the end") { process.lines.last == "2 completed" }
        try expectEqual(first.state, .suspended, "the state of a task that was not resumed")
        try expectEqual(server.requests(for: server.address(.file(10))).count, 0, "its requests")
        first.resume()
        try await until("the end") { process.lines.last == "1 completed" }
    }

    func delayed() async throws {
        let process = try await open()
        process.listen()
        let task = try process.session.download(request(.file(10)))
        let date = Date().addingTimeInterval(1.5)
        task.earliestBeginDate = date
        task.resume()
        try await until("the end") {
            let hasRequested = server.requests(for: server.address(.file(10))).count > 0
            try expect(!hasRequested || Date() >= date, "the task began before its date")
            return process.lines.last == "1 completed"
        }
        try expectEqual(process.lines.first, "1 begin?", "the app's first event")
        await process.leave()
        try await DelayedRequestCheck(self).isRefused()
        try await DelayedRequestCheck(self).keepsBody()
    }

    func wantedNow() async throws {
        let first = try await open()
        let task = try first.session.download(request(.file(10)))
        task.earliestBeginDate = Date().addingTimeInterval(3600)
        task.resume()
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        try await harness.startAllNow()
        try await until("the start", seconds: 20) { try await harness.starts(of: SessionConformance.app) == ["s"] }
        let second = try await open()
        second.listen()
        try await until("the end") { second.lines.contains("1 completed") }
        try expectEqual(second.lines.first, "1 begin?", "the first that the app hears")
    }

    func persistedSettings() async throws {
        let first = try await open()
        first.listen()
        try first.session.download(request(.file(1))).resume()
        let task = try first.session.download(request(.stalling(1000, at: 100, times: 99)))
        task.note = "mine"
        task.priority = 0.25
        task.resume()
        task.countOfBytesClientExpectsToReceive = 2000
        try await until("the first end") { first.lines.last == "1 completed" }
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        try await harness.restart()
        let second = try await open()
        let tasks = try await second.session.unfinishedTasks()
        try expectEqual(tasks.map(\.identifier), [2], "the tasks")
        try expectEqual(tasks.first?.note, "mine", "the app's note")
        try expectEqual(tasks.first?.priority, 0.25, "the priority")
        try expectEqual(tasks.first?.countOfBytesClientExpectsToReceive, 2000, "the expectation")
        try expectEqual(try second.session.download(request(.file(1))).identifier, 3, "the next number")
    }

    func pauses() async throws {
        let response = ServedResponse.stalling(1_000_000, at: 300_000, times: 1)
        let address = server.address(response)
        let process = try await open()
        process.listen()
        let task = try process.session.download(request(at: address))
        task.resume()
        try await stalls(task, response, at: 300_000)
        let reported = task.countOfBytesReceived
        task.suspend()
        _ = try await process.session.unfinishedTasks()
        task.resume()
        try await until("the end") { process.lines.last == "1 completed" }
        let range = server.requests(for: address).last?.fields["range"] ?? ""
        let first = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" })
        try expect(Int64(first ?? 0) >= reported, "\(reported) bytes on disk were requested again: \(range)")
        try expect(process.lines.contains("1 continued true"), "the app received no 'continued' event")
        try expectEqual(process.file(of: 1).map { $0.isFileURL }, true, "the file")
    }

    func redirects() async throws {
        let target = server.address(.file(50))
        var request = try request(.redirect(to: target.replacingOccurrences(of: "127.0.0.1", with: "localhost")))
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        let process = try await open()
        process.listen()
        try process.session.download(request).resume()
        try await until("the end") { process.lines.last == "1 completed" }
        try expectEqual(process.lines.first, "1 responded 200", "the response")
        let seen = server.requests(for: target)
        try expectEqual(seen.count, 1, "requests at the target")
        try expectEqual(seen.first?.fields["authorization"], nil, "credentials at another origin")
    }

    func logsIn() async throws {
        let address = server.address(.login(user: "u", password: "p", 70))
        let process = try await open()
        process.listen(login: .user("u", password: "p"))
        try process.session.download(request(at: address)).resume()
        try await until("the end") { process.lines.last == "1 completed" }
        try expect(process.lines.contains { $0.hasPrefix("1 login?") }, "no challenge arrived: \(process.lines)")
        try expect(process.lines.contains("1 responded 200"), "the reply was not accepted: \(process.lines)")
        for answersBearer in [true, false] { try await givesToken(answersBearer) }
    }

    /// Checks that only a session that opts in receives requests for tokens. For other sessions, the refusal is an
    /// ordinary response.
    private func givesToken(_ answersBearer: Bool) async throws {
        let process = try await open("\(answersBearer)") { $0.answersBearerChallenges = answersBearer }
        process.listen(login: .token("a.b-c=="))
        try process.session.download(request(.token("a.b-c==", 70))).resume()
        try await until("the end") { process.lines.last == "1 completed" }
        let wasChallenged = process.lines.contains { $0.hasPrefix("1 login?") }
        try expect(wasChallenged == answersBearer, "challenges for a token: \(process.lines)")
        let status = answersBearer ? 200 : 401
        try expect(process.lines.contains("1 responded \(status)"), "not \(status): \(process.lines)")
    }
}
