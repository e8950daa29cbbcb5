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
        /// The first event that is not acknowledged. Later events are not acknowledged either.
        var unacknowledgedFrom: String?
        /// The number of events after which no event is acknowledged.
        var deafAfter = Int.max
        /// The number of further begin requests that receive a reply. `nil` means all.
        var repliesLeft: Int?
        /// The request with which delayed tasks begin. `nil` means their own.
        var replacement: URLRequest?
        /// Whether a reply is being sent to the service.
        var isReplying = false
        /// The delayed tasks that the process has let begin.
        var begun: Set<Int> = []
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
    /// The lines that report ended tasks so far.
    var ends: Set<String> { Set(lines.filter { $0.hasSuffix(" completed") }) }
    /// The delayed tasks that the process has let begin so far.
    var begun: Set<Int> { content.withLock(\.begun) }

    /// The reply to a server that requires authentication.
    enum Login {
        case user(String, password: String)
        case token(String)
    }

    /// Starts to receive events. Acknowledges events before `marker`, and replies to authentication challenges with
    /// `login`. Lets the first `replies` delayed tasks begin, or all delayed tasks if `replies` is `nil`. They begin with
    /// `replacement` if it is not `nil`.
    func listen(
        unacknowledgedFrom marker: String? = nil, deafAfter count: Int = .max, login: Login? = nil,
        beginning replies: Int? = nil, with replacement: URLRequest? = nil
    ) {
        content.withLock {
            ($0.unacknowledgedFrom, $0.deafAfter, $0.repliesLeft) = (marker, count, replies)
            $0.replacement = replacement
        }
        // The task ends with the session's events, when the process leaves.
        Task { [self] in
            for await event in session.events { handle(event, login) }
        }
    }

    /// Adds a line of the check to the recorded events.
    func add(_ line: String) { content.withLock { $0.lines.append(line) } }

    private func handle(_ event: BackgroundEvent, _ login: Login?) {
        let line = record(event.kind, login)
        if case .willBegin(let task, _) = event.kind, !begins(task) { return }
        let ignoresEvents = content.withLock { content in
            if let line { content.lines.append(line) }
            guard content.lines.count <= content.deafAfter else { return true }
            return content.unacknowledgedFrom.map { marker in content.lines.contains { $0.hasPrefix(marker) } } ?? false
        }
        if !ignoresEvents { event.acknowledge() }
    }

    /// Lets a delayed task begin if the process may reply to another request. Returns whether the task has begun.
    private func begins(_ task: BackgroundTask) -> Bool {
        let mayReply = content.withLock { content in
            content.isReplying = content.repliesLeft != 0
            content.repliesLeft = content.repliesLeft.map { max(0, $0 - 1) }
            return content.isReplying
        }
        guard mayReply else { return false }
        // The method throws only if it replaces the request by one of another scheme.
        try? task.begin(with: content.withLock(\.replacement))
        content.withLock { content in
            content.begun.insert(task.identifier)
            content.isReplying = false
        }
        return true
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

    /// Ends the process as a crash would. Waits for a reply that is being sent, so that the check knows which requests
    /// received a reply.
    func leave() async {
        content.withLock { $0.repliesLeft = 0 }
        while content.withLock(\.isReplying) { await Task.yield() }
        await process.leave()
    }
}
