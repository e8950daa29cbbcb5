// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import FoundationNetworking
import TransferModel
import TransferTesting

/// The checks of rules about files that the app awaits by name. No check reads the session's events, because waiters
/// receive theirs anyway.
struct AwaitedFileCheck: Sendable {
    private let check: SessionRuleCheck

    init(_ check: SessionRuleCheck) { self.check = check }

    // MARK: Names

    func joinsByName() async throws {
        let response = ServedResponse.stalling(500_000, at: 100_000, times: 1)
        let first = try await check.open()
        _ = try await first.session.transfer(for: check.request(response), id: "episode 7")
        try await check.until("the request") { !check.server.requests(for: check.server.address(response)).isEmpty }
        await first.leave()
        let second = try await check.open()
        let transfer = try await second.session.transfer(for: check.request(response), id: "episode 7")
        async let other = second.session.file(for: check.request(response), id: "episode 7")
        check.server.endStalls()
        let file = try await transfer.file
        try expectEqual(try await other, file, "the file of another call")
        try expectEqual(try Data(contentsOf: file), Data(ServedResponse.content(500_000)), "the file")
        try expectEqual(try second.session.download(check.request(.file(1))).identifier, 2, "the next number of a task")
    }

    func returnsFinishedFile() async throws {
        let names = ["../a/b", ".", String(repeating: "é", count: 500)]
        let first = try await check.open()
        var files: [URL] = []
        for (index, id) in names.enumerated() {
            files.append(try await first.session.file(for: check.request(.file(10 + index)), id: id))
        }
        try expectEqual(Set(files.map { $0.deletingLastPathComponent() }).count, 1, "folders")
        await first.leave()
        try await check.harness.restart()
        let second = try await check.open()
        for (index, id) in names.enumerated() {
            let file = try await second.session.file(for: check.request(.file(10 + index)), id: id)
            try expectEqual(file, files[index], "the file of '\(id)' in another process")
            try expectEqual(try Data(contentsOf: file), Data(ServedResponse.content(10 + index)), "its content")
            try expectEqual(check.server.requests(for: check.server.address(.file(10 + index))).count, 1, "requests")
        }
        try await second.session.remove(id: names[0])
        try expect(!FileManager.default.fileExists(atPath: files[0].path), "a removed file still exists")
        _ = try await second.session.file(for: check.request(.file(99)), id: names[0])
    }

    func refusesOtherRequest() async throws {
        let first = try await check.open()
        let done = try check.request(.file(10))
        _ = try await first.session.transfer(for: check.request(.stalling(1000, at: 100, times: 99)), id: "busy")
        _ = try await first.session.file(for: done, id: "done")
        await first.leave()
        let second = try await check.open()
        var post = done
        (post.httpMethod, post.httpBody) = ("POST", Data([1]))
        for (id, other) in [("busy", done), ("done", try check.request(.file(20))), ("done", post)] {
            let message = try await message(of: .idInUse, from: second, for: other, id: id)
            try expect(message.contains(other.url?.path ?? "-"), "the message names no URL: \(message)")
        }
        // The name of a failed transfer is free for another attempt, and for another request.
        let missing = try check.request(.status(404, body: "no"))
        for _ in 1...2 { _ = try await message(of: .httpStatus(404), from: second, for: missing, id: "missing") }
        try expectEqual(check.server.requests(for: check.server.address(.status(404, body: "no"))).count, 2, "attempts")
        _ = try await second.session.file(for: check.request(.file(30)), id: "missing")
    }

    /// Awaits a file and returns the message of the error, which must have a code.
    private func message(
        of code: TransferError.Code, from process: TestedProcess, for request: URLRequest, id: String
    ) async throws -> String {
        do throws(TransferError) {
            _ = try await process.session.file(for: request, id: id)
        } catch {
            try expectEqual(error.code, code, "the error for '\(id)'")
            return error.message
        }
        throw ContractFailure("the session returned a file for '\(id)'")
    }

    // MARK: Canceling

    func outlivesAwaitingTask() async throws {
        let response = ServedResponse.stalling(500_000, at: 100_000, times: 1)
        let process = try await check.open()
        try await cancelAwaiting(response, in: process, .whenUnmetered)
        try expectEqual(try await process.session.unfinishedTasks().count, 1, "tasks after the cancellation")
        check.server.endStalls()
        let file = try await process.session.file(for: check.request(response), id: "a")
        try expectEqual(try Data(contentsOf: file), Data(ServedResponse.content(500_000)), "the file")
    }

    func endsWithAwaitingTask() async throws {
        let response = ServedResponse.stalling(1000, at: 100, times: 99)
        let process = try await check.open()
        var options = TransferOptions.whenUnmetered
        options.cancelsWithTask = true
        try await cancelAwaiting(response, in: process, options)
        try await check.until("the end") { try await process.session.unfinishedTasks().isEmpty }
        // A set ends as a whole.
        let requests = try ["b": check.request(response), "c": check.request(.stalling(1000, at: 200, times: 99))]
        let files = Task { [options] in try await process.session.files(for: requests, options: options) }
        try await check.until("the requests") { try await process.session.unfinishedTasks().count == 2 }
        files.cancel()
        try await check.until("the end") { try await process.session.unfinishedTasks().isEmpty }
    }

    /// Cancels a task that awaits a file, after the server has received the request.
    private func cancelAwaiting(
        _ response: ServedResponse, in process: TestedProcess, _ options: TransferOptions
    ) async throws {
        let request = try check.request(response)
        let awaiting = Task { try await process.session.file(for: request, id: "a", options: options) }
        try await check.until("the request") { !check.server.requests(for: check.server.address(response)).isEmpty }
        awaiting.cancel()
        do {
            _ = try await awaiting.value
            throw ContractFailure("a canceled task received a file")
        } catch let error as TransferError {
            try expectEqual(error.code, .canceled, "the error of the canceled task")
        }
    }

    // MARK: Sets

    func sumsProgress() async throws {
        let sizes = [100_000, 200_000, 300_000]
        let process = try await check.open()
        let requests = try Dictionary(uniqueKeysWithValues: sizes.map { ("\($0)", try check.request(.file($0))) })
        let transfers = try await process.session.transfers(for: requests, options: .whenUnmetered)
        var (seen, last): ([Int64], TransferProgress?) = ([], nil)
        for await progress in transfers.progress {
            seen.append(progress.bytes)
            last = progress
        }
        try expectEqual(seen, seen.sorted(), "the sums")
        try expectEqual(last, TransferProgress(bytes: 600_000, total: 600_000), "the last sum")
        let files = try await transfers.files
        try expectEqual(files.keys.sorted(), transfers.ids, "the files")
        for size in sizes {
            let data = try files["\(size)"].map { try Data(contentsOf: $0) }
            try expectEqual(data, Data(ServedResponse.content(size)), "the file of \(size) bytes")
        }
    }

    // MARK: Crashes and conditions

    func survivesKillAfterMove() async throws {
        let configuration = BackgroundSessionConfiguration(identifier: "s")
        let first = try await check.harness.join(as: SessionConformance.app)
        let lossy = SilentChannel(over: first.channel, losesAcknowledgements: true)
        let file = try await BackgroundSession.open(configuration, over: lossy)
            .file(for: check.request(.file(1000)), id: "a")
        try expectEqual(lossy.acknowledgements, 1, "acknowledgements")
        // The process dies after it has moved the file, and the service does not know that.
        await first.leave()
        try await check.harness.restart()
        let second = try await check.harness.join(as: SessionConformance.app)
        let counting = SilentChannel(over: second.channel, losesAcknowledgements: false)
        let session = try await BackgroundSession.open(configuration, over: counting)
        try expectEqual(
            try await session.file(for: check.request(.file(1000)), id: "a"), file, "the file of the next process")
        try expectEqual(try Data(contentsOf: file), Data(ServedResponse.content(1000)), "its content")
        try await check.until("the acknowledgement") { counting.acknowledgements == 1 }
        _ = try await session.unfinishedTasks()
        await second.leave()
        let third = try await check.harness.join(as: SessionConformance.app)
        let opened = try third.channel.open(configuration)
        try expectEqual(opened.tasks.map(\.identifier), [], "tasks that wait for their app")
        try expectEqual(opened.nextTask, 2, "the next number of a task")
        try expectEqual(check.server.requests(for: check.server.address(.file(1000))).count, 1, "requests")
    }

    func explainsWaits() async throws {
        let first = try await check.open()
        var options = TransferOptions.whenUnmetered
        let date = Date().addingTimeInterval(3600)
        (options.earliestBeginDate, options.deadline) = (date, date.addingTimeInterval(3600))
        _ = try await first.session.transfer(for: check.request(.file(10)), id: "later", options: options)
        options = .whenUnmetered
        let hour = (Calendar.current.component(.hour, from: Date()) + 12) % 24
        options.constraints.windows = [TransferWindow(fromHour: hour, toHour: hour + 1)]
        _ = try await first.session.transfer(for: check.request(.file(20)), id: "window", options: options)
        await first.leave()
        try await check.harness.restart()
        let second = try await check.open()
        let later = try await second.session.transfer(for: check.request(.file(10)), id: "later")
        let window = try await second.session.transfer(for: check.request(.file(20)), id: "window")
        for transfer in [later, window] {
            let wait = try await transfer.wait()
            try expectEqual(wait?.reasons.count, 1, "the reasons of '\(transfer.id)'")
            try expect(wait?.description.isEmpty == false, "no sentence")
            try expect(wait?.expectedStart.map { $0 > Date() } == true, "no date: \(wait?.description ?? "")")
        }
        let start = try await later.wait()?.expectedStart ?? .distantPast
        try expect(start.timeIntervalSince(date).magnitude < 2, "the transfer begins at \(start), not at \(date)")
        _ = try await second.session.file(
            for: check.request(.file(30)), id: "now", options: .whenUnmetered)
        for size in [10, 20] {
            try expectEqual(
                check.server.requests(for: check.server.address(.file(size))).count, 0, "requests of a waiting transfer"
            )
        }
        for id in ["later", "window", "now"] { try await second.session.remove(id: id) }
        try expectEqual(try await later.wait(), nil, "the reasons of a removed transfer")
        try expectEqual(try await second.session.unfinishedTasks().count, 0, "tasks of removed names")
    }
}
