// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// A process of an app in a trial: its session, and what it was told.
final class TrialProcess: Sendable {
    private struct Content {
        var lines: [String] = []
        var progress: [Int64] = []
        var files: [Int: URL] = [:]
        /// From that event on none is acknowledged.
        var deafFrom: String?
        var answers: [String: String] = [:]
    }

    private let process: SessionProcess
    let session: BackgroundSession
    private let content = Mutex(Content())

    init(process: SessionProcess, session: BackgroundSession) {
        self.process = process
        self.session = session
    }

    /// What it was told so far, without progress: `1 responded 200`, `1 file`, `1 completed` …
    var lines: [String] { content.withLock(\.lines) }
    /// Bytes that it was told of.
    var progress: [Int64] { content.withLock(\.progress) }
    func file(of task: Int) -> URL? { content.withLock { $0.files[task] } }

    /// What a server is told that wants to know who asks.
    enum Login {
        case user(String, password: String)
        case token(String)
    }

    /// Begins to read events, and to deal with them but from `deaf` on; a login is answered by `login`.
    func listen(deafFrom deaf: String? = nil, login: Login? = nil) {
        content.withLock { $0.deafFrom = deaf }
        // Ends with the session's events, when the process leaves.
        Task { [self] in
            for await event in session.events { take(event, login) }
        }
    }

    private func take(_ event: BackgroundEvent, _ login: Login?) {
        let line = note(event.kind, login)
        let isDeaf = content.withLock { content in
            if let line { content.lines.append(line) }
            return content.deafFrom.map { deaf in content.lines.contains { $0.hasPrefix(deaf) } } ?? false
        }
        if !isDeaf { event.acknowledge() }
    }

    private func note(_ kind: BackgroundEvent.Kind, _ login: Login?) -> String? {
        switch kind {
        case .received(_, let bytes, _), .sent(_, let bytes, _):
            content.withLock { $0.progress.append(bytes) }
            return nil
        case .continued(let task, let offset, _): return "\(task.identifier) continued \(offset > 0)"
        case .responded(let task, let response): return "\(task.identifier) responded \(response.statusCode)"
        case .downloaded(let task, let file):
            content.withLock { $0.files[task.identifier] = file }
            return "\(task.identifier) file"
        case .body(let task, let data): return "\(task.identifier) body \(String(decoding: data, as: UTF8.self))"
        case .willBegin(let task, _): return "\(task.identifier) begin?"
        case .challenged(let task, let challenge):
            switch login {
            case .user(let user, let password)?: task.answer(user: user, password: password)
            case .token(let token)?: task.answer(token: token)
            case nil: break
            }
            return "\(task.identifier) login? \(challenge.realm ?? "")"
        case .completed(let task, let error):
            return "\(task.identifier) completed" + (error.map { " \($0.code.rawValue)" } ?? "")
        case .finishedEvents: return "finished"
        case .invalidated: return "invalidated"
        }
    }

    /// It dies.
    func leave() async { await process.leave() }
}
