// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import FoundationNetworking
import TransferTesting

/// The checks of rules about events.
extension SessionRuleCheck {
    func progress() async throws {
        let process = try await open()
        process.listen()
        let response = ServedResponse.stalling(400_000, at: 200_000, times: 1)
        let task = try process.session.download(request(response))
        task.resume()
        try await stalls(task, response, at: 200_000)
        task.suspend()
        task.resume()
        try await until("the end") { process.lines.last == "1 completed" }
        try expectEqual(process.progress, process.progress.sorted(), "the counts that the app received")
        try expectEqual(task.countOfBytesReceived, 400_000, "the count at the end")
        try expectEqual(task.countOfBytesExpected, 400_000, "the total")
    }

    func file() async throws {
        let process = try await open()
        process.listen(unacknowledgedFrom: "1 file")
        try process.session.download(request(.file(5000))).resume()
        try await until("the end") { process.lines.last == "1 completed" }
        guard let file = process.file(of: 1) else { throw ContractFailure("the app received no file") }
        try expectEqual(try Data(contentsOf: file), Data(ServedResponse.content(5000)), "the file's bytes")
        await process.leave()
        let again = try await open()
        again.listen()
        try await until("the end") { again.lines.contains("1 completed") }
        try await until("the file to go") { !FileManager.default.fileExists(atPath: file.path) }
    }

    func notFound() async throws {
        let process = try await open()
        process.listen(unacknowledgedFrom: "1 file")
        try process.session.download(request(.status(404, body: "nothing here"))).resume()
        try await until("the end") { process.lines.last == "1 completed" }
        try expectEqual(process.lines, ["1 responded 404", "1 file", "1 completed"], "the app's events")
        guard let file = process.file(of: 1) else { throw ContractFailure("the app received no file") }
        try expectEqual(try String(contentsOf: file, encoding: .utf8), "nothing here", "the body")
    }

    func redelivery() async throws {
        let first = try await open()
        first.listen(unacknowledgedFrom: "1 completed")
        try first.session.download(request(.file(100))).resume()
        try await until("the end") { first.lines.last == "1 completed" }
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        try await harness.restart()
        let second = try await open()
        second.listen()
        try await until("the waiting events") { second.lines.contains("finished") }
        try expectEqual(second.lines, ["1 completed", "finished"], "the events reported again")
        _ = try await second.session.unfinishedTasks()
        await second.leave()
        try await harness.restart()
        let third = try await open()
        third.listen()
        try third.session.download(request(.file(200))).resume()
        try await until("the end") { third.lines.last == "2 completed" }
        try expect(!third.lines.contains { $0.hasPrefix("1 ") }, "acknowledged events came again: \(third.lines)")
    }

    func finishedEvents() async throws {
        let first = try await open()
        for size in [10, 20] { try first.session.download(request(.file(size))).resume() }
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        try await until("the start") { try await harness.starts(of: SessionConformance.app) == ["s"] }
        let second = try await open()
        second.listen()
        try await until("all") { second.lines.filter { $0.hasSuffix("completed") }.count == 2 }
        try await until("the last") { second.lines.last == "finished" }
    }

    func listed() async throws {
        let first = try await open()
        first.listen()
        let response = ServedResponse.stalling(1_000_000, at: 400_000, times: 99)
        let task = try first.session.download(request(response))
        task.resume()
        try first.session.download(request(.file(10))).resume()
        try await stalls(task, response, at: 400_000)
        try await until("the other's end") { first.lines.last == "2 completed" }
        // Only bytes that are not requested again count as kept. Bytes that arrived just before a crash may be lost.
        let address = server.address(response)
        let requestCount = server.requests(for: address).count
        task.suspend()
        task.resume()
        try await until("a request for the rest") { server.requests(for: address).count > requestCount }
        let kept = server.requests(for: address).last?.range?.first ?? 0
        try expect(kept > 0, "no bytes were kept")
        task.suspend()
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        try await harness.restart()
        let second = try await open()
        let tasks = try await second.session.unfinishedTasks()
        try expectEqual(tasks.map(\.identifier), [1], "the tasks")
        let received = tasks.first?.countOfBytesReceived ?? 0
        try expect((Int64(kept)...400_000).contains(received), "\(received) bytes so far, of which \(kept) are kept")
        try expectEqual(tasks.first?.countOfBytesExpected, 1_000_000, "all bytes")
        try expectEqual(tasks.first?.state, .suspended, "the state")
    }

    func upload() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
        try Data(ServedResponse.content(4321)).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = try await open()
        process.listen()
        try process.session.upload(request(.upload), fromFile: file).resume()
        try await until("the end") { process.lines.last == "1 completed" }
        try expectEqual(process.lines, ["1 responded 200", "1 body 4321", "1 completed"], "the app's events")
        let seen = server.requests(for: server.address(.upload)).first
        try expectEqual(seen?.method, "POST", "the method")
        try expect(
            seen?.body == ServedResponse.content(4321), "the received bytes differ: \(seen?.body.count ?? 0)")
        // The file of a task that is not running yet is deleted, and the service restarts.
        let later = try process.session.upload(request(.upload), fromFile: file)
        later.resume()
        later.suspend()
        try FileManager.default.removeItem(at: file)
        _ = try await process.session.unfinishedTasks()
        await process.leave()
        try await harness.restart()
        let again = try await open()
        again.listen()
        for task in try await again.session.unfinishedTasks() { task.resume() }
        // The task may have ended before its suspension.
        try await until("the second end") {
            again.lines.contains("2 completed") || process.lines.contains("2 completed")
        }
        let last = server.requests(for: server.address(.upload)).last
        try expect(
            last?.body == ServedResponse.content(4321),
            "the bytes of a kept file differ: \(last?.body.count ?? 0)")
    }
}
