// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import FoundationNetworking
import TransferTesting

/// Checks of the requests of delayed tasks, for rule T3.
struct DelayedRequestCheck: Sendable {
    private let check: SessionRuleCheck

    init(_ check: SessionRuleCheck) { self.check = check }

    /// Delays a task with a body. The body survives the app and the service.
    func keepsBody() async throws {
        var request = try check.request(.upload)
        (request.httpMethod, request.httpBody) = ("POST", Data(ServedResponse.content(1000)))
        let first = try await check.open("later")
        let task = try first.session.download(request)
        task.earliestBeginDate = Date().addingTimeInterval(3600)
        task.resume()
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        try await check.harness.restart()
        let second = try await check.open("later")
        second.listen()
        let restored = try await second.session.unfinishedTasks().first
        try expectEqual(restored?.request?.httpBody, request.httpBody, "the body of the restored task")
        restored?.earliestBeginDate = nil
        try await check.until("the end") { second.lines.contains("1 completed") }
        let seen = check.server.requests(for: check.server.address(.upload)).last
        try expectEqual(seen.map { Data($0.body) }, request.httpBody, "the body that the server received")
    }

    /// Replaces the request of a delayed task by a request that no service accepts. The task ends with an error, and
    /// does not wait forever.
    func isRefused() async throws {
        let process = try await check.open("other")
        let address = check.server.address(.file(10))
        process.listen(with: try check.request(at: address + String(repeating: "0", count: 15 << 20)))
        let task = try process.session.download(check.request(at: address))
        task.earliestBeginDate = Date().addingTimeInterval(0.5)
        task.resume()
        let isEnd: @Sendable (String) -> Bool = { $0.hasPrefix("1 completed") }
        try await check.until("the end", seconds: 20) { process.lines.contains(where: isEnd) }
        try expectEqual(process.lines.first(where: isEnd), "1 completed -1", "the end")
        await process.leave()
        let next = try await check.open("other")
        try expectEqual(try await next.session.unfinishedTasks().count, 0, "tasks that still wait")
    }
}
