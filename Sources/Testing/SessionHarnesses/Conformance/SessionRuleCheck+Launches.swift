// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import FoundationNetworking
import Synchronization
import TransferTesting

/// The checks of an app that is started for its events, and of the methods of its requests.
extension SessionRuleCheck {
    func methods() async throws {
        let process = try await open()
        process.listen(unacknowledgedFrom: "1 file")
        var post = try request(.upload)
        post.httpMethod = "POST"
        post.httpBody = Data(ServedResponse.content(1000))
        post.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        try process.session.download(post).resume()
        try await until("the end") { process.lines.last == "1 completed" }
        guard let file = process.file(of: 1) else { throw ContractFailure("the app got no file") }
        try expectEqual(try String(contentsOf: file, encoding: .utf8), "1000", "the answer")
        let seen = server.requests(for: server.address(.upload)).last
        try expectEqual(seen?.method, "POST", "the method")
        try expect(seen?.body == ServedResponse.content(1000), "another body came: \(seen?.body.count ?? 0)")
        try expectEqual(seen?.fields["content-type"], "application/octet-stream", "the type")

        let source = FileManager.default.temporaryDirectory.appendingPathComponent("patch-\(UUID().uuidString)")
        try Data(ServedResponse.content(4321)).write(to: source)
        defer { try? FileManager.default.removeItem(at: source) }
        var patch = try request(.upload)
        patch.httpMethod = "PATCH"
        try process.session.upload(patch, fromFile: source).resume()
        try await until("the second end") { process.lines.last == "2 completed" }
        let last = server.requests(for: server.address(.upload)).last
        try expectEqual(last?.method, "PATCH", "the method of the upload")
        try expect(last?.body == ServedResponse.content(4321), "other bytes came: \(last?.body.count ?? 0)")
    }

    /// Starts an app for its events several times. The app and the service are killed before the app has handled all
    /// events. The app's handler calls the completion handler immediately.
    func handlesFirst() async throws {
        let count = 6
        let first = try await open()
        for number in 1...count { try first.session.download(request(.file(100 + number))).resume() }
        _ = try await first.session.unfinishedTasks()
        await first.leave()
        try await until("the start") { try await harness.starts(of: SessionConformance.app) == ["s"] }
        for round in 1...3 {
            let isLast = round == 3
            let application = BackgroundApplication(idleLimit: .seconds(3600))
            let started = Mutex<TestedProcess?>(nil)
            application.onEvents { session, done in
                started.withLock { $0 }?.add("handle \(session)")
                done()
            }
            // The app opens the session while it starts, before its handler is called.
            application.expectLaunch(for: "s")
            let process = try await open(in: application)
            started.withLock { $0 = process }
            process.listen(deafAfter: isLast ? .max : 5)
            _ = try await process.session.unfinishedTasks()
            try expectEqual(process.lines, [], "what the app was told before its handler was called")
            application.handleLaunch(for: "s") { process.add("ended") }
            try await until("the events of round \(round)") { process.lines.contains(isLast ? "ended" : "finished") }
            let lines = process.lines
            try expectEqual(lines.first, "handle s", "the first call")
            if isLast { try expectEqual(lines.suffix(2), ["finished", "ended"], "the last calls") }
            await process.leave()
            if !isLast { try await harness.restart() }
        }
    }
}
