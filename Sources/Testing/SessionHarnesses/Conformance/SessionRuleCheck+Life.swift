// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import FoundationNetworking
import TransferTesting

/// The checks of rules about an app's life cycle and the relaunch limiter.
extension SessionRuleCheck {
    func continuesWithoutApp() async throws {
        let first = try await open()
        let address = server.address(.stalling(500_000, at: 100_000, times: 0))
        for number in 1...5 { try first.session.download(request(at: address + "?\(number)")).resume() }
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        try await until("the requests") {
            (1...5).allSatisfy { !server.requests(for: address + "?\($0)").isEmpty }
        }
        let second = try await open()
        second.listen()
        try await until("all") { second.lines.filter { $0.hasSuffix(" completed") }.count == 5 }
        for number in 1...5 {
            // A file may arrive in several parts, but is requested from its beginning only once.
            let starts = server.requests(for: address + "?\(number)").map { $0.fields["range"] ?? "bytes=0-" }
            try expectEqual(starts.count { $0.hasPrefix("bytes=0-") }, 1, "number of times that \(number) was started")
        }
    }

    func withoutLaunchEvents() async throws {
        let first = try await open { $0.sendsLaunchEvents = false }
        try first.session.download(request(.file(10))).resume()
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        // The app is started for another session. If launch events were on, it would also have been started for the
        // first.
        let other = try await open("other")
        try other.session.download(request(.file(20))).resume()
        _ = try await other.session.unfinishedTasks()
        await other.leave()
        try await until("the start") { try await harness.starts(of: SessionConformance.app) == ["other"] }
        let second = try await open { $0.sendsLaunchEvents = false }
        second.listen()
        try await until("the waiting events") { second.lines.last == "finished" }
    }

    func starts() async throws {
        let first = try await open()
        try first.session.download(request(.file(10))).resume()
        try first.session.download(request(.stalling(1000, at: 10, times: 1))).resume()
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        // The stalled request is repeated below, so it must have been sent by then.
        try await until("one end, and the other request") {
            [.file(10), .stalling(1000, at: 10, times: 1)].allSatisfy {
                !server.requests(for: server.address($0)).isEmpty
            }
        }
        try expectEqual(try await harness.starts(of: SessionConformance.app), [], "starts before all tasks have ended")
        let visitor = try await open()
        for task in try await visitor.session.unfinishedTasks()
        where task.request?.url?.path.contains("stalling") == true {
            task.suspend()
            task.resume()
        }
        await visitor.leave()
        try await until("the start") { try await harness.starts(of: SessionConformance.app) == ["s"] }
        let second = try await open()
        second.listen()
        try await until("all") { second.lines.last == "finished" }
    }

    func quit() async throws {
        let first = try await open()
        try first.session.download(request(.stalling(1000, at: 10, times: 99))).resume()
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        let second = try await open()
        try expectEqual(try await second.session.unfinishedTasks().count, 1, "tasks after the end of the process")
        await second.leave()
        try await harness.quit(SessionConformance.app)
        let third = try await open()
        third.listen()
        try await until("the end") { third.lines.contains("1 completed -999") }
        try expectEqual(try await harness.starts(of: SessionConformance.app), [], "starts")
    }

    func killed() async throws {
        let count = 12
        let first = try await open()
        for number in 1...count {
            try first.session.download(request(.stalling(300_000 + number, at: 100_000, times: 1))).resume()
        }
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        for round in 1...2 {
            try await until("requests of round \(round)") {
                server.requests(for: server.address(.stalling(300_001, at: 100_000, times: 1))).count >= round
            }
            try await harness.restart()
        }
        let last = try await open()
        last.listen(unacknowledgedFrom: "1 file")
        server.endStalls()
        try await until("all") { Set(last.lines.filter { $0.hasSuffix(" completed") }).count == count }
        try expectEqual(last.lines.filter { $0.hasSuffix(" completed") }.count, count, "ends")
        for number in 1...count {
            guard let file = last.file(of: number), FileManager.default.fileExists(atPath: file.path) else { continue }
            try expectEqual(
                try Data(contentsOf: file), Data(ServedResponse.content(300_000 + number)), "the file of \(number)")
        }
    }

    func delayGrows() async throws {
        let front = try await open()
        front.listen()
        try front.session.download(request(.file(10))).resume()
        try await until("the end") { front.lines.last == "1 completed" }
        try expectEqual(try await harness.delay(of: SessionConformance.app), .zero, "the delay after events in front")
        try front.session.download(request(.file(20))).resume()
        _ = try await front.session.unfinishedTasks()
        await front.leave()
        try await until("the start") { try await harness.starts(of: SessionConformance.app) == ["s"] }
        try await until("the delay") { try await harness.delay(of: SessionConformance.app) == .seconds(60) }
    }

    func crashes() async throws {
        let first = try await open()
        try first.session.download(request(.file(10))).resume()
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        try await until("the start") { try await harness.starts(of: SessionConformance.app) == ["s"] }
        // The second process handles the server's response. The third process handles nothing.
        for marker in ["1 file", "1 "] {
            let process = try await open()
            process.listen(unacknowledgedFrom: marker)
            try await until("what waits") { process.lines.contains("1 completed") }
            await process.leave()
            let end = ContinuousClock.now + .seconds(3)
            try await until("three seconds") {
                try expectEqual(try await harness.starts(of: SessionConformance.app), ["s"], "starts after a crash")
                return ContinuousClock.now >= end
            }
        }
        let last = try await open()
        last.listen()
        try await until("all") { last.lines.last == "finished" }
    }

    func startsOnce() async throws {
        let first = try await open()
        for number in 1...20 { try first.session.download(request(.file(1000 + number))).resume() }
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        try await until("the start") { try await harness.starts(of: SessionConformance.app) == ["s"] }
        let second = try await open()
        second.listen()
        try await until("all") { second.lines.last == "finished" }
        try expectEqual(second.lines.filter { $0.hasSuffix(" completed") }.count, 20, "ends")
        try expectEqual(try await harness.starts(of: SessionConformance.app), ["s"], "starts")
    }
}
