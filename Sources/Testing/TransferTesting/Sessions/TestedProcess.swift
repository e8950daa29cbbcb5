// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// A process of an app in a check, with its session and the events that it received.
final class TestedProcess: Sendable {
    private struct Content {
        var lines: [String] = []
        var progress: [Int64] = []
        var files: [Int: URL] = [:]
        /// The event from which on no event is acknowledged.
        var unacknowledgedFrom: String?
        var answers: [String: String] = [:]
    }

    private let process: SessionProcess
    let session: BackgroundSession
    private let content = Mutex(Content())

    init(process: SessionProcess, session: BackgroundSession) {
        self.process = process
        self.session = session
    }

    /// The events received so far, without progress: `1 responded 200`, `1 file`, `1 completed` …
    var lines: [String] { content.withLock(\.lines) }
    /// The byte counts in the progress events received so far.
    var progress: [Int64] { content.withLock(\.progress) }
    func file(of task: Int) -> URL? { content.withLock { $0.files[task] } }

    /// The reply to a server that requires authentication.
    enum Login {
        case user(String, password: String)
        case token(String)
    }

    /// Starts to receive events. Acknowledges events before `marker`, and replies to authentication challenges with
    /// `login`.
    func listen(unacknowledgedFrom marker: String? = nil, login: Login? = nil) {
        content.withLock { $0.unacknowledgedFrom = marker }
        // The task ends with the session's events, when the process leaves.
        Task { [self] in
            for await event in session.events { handle(event, login) }
        }
    }

    private func handle(_ event: BackgroundEvent, _ login: Login?) {
        let line = record(event.kind, login)
        let ignoresEvents = content.withLock { content in
            if let line { content.lines.append(line) }
            return content.unacknowledgedFrom.map { marker in content.lines.contains { $0.hasPrefix(marker) } } ?? false
        }
        if !ignoresEvents { event.acknowledge() }
    }

    private func record(_ kind: BackgroundEvent.Kind, _ login: Login?) -> String? {
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

    /// Ends the process as its death would.
    func leave() async { await process.leave() }
}
