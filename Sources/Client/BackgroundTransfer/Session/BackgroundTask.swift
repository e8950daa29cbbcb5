// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
internal import Logging
internal import Synchronization
internal import TransferModel

/// One download or upload of a background session. It goes on without this program.
///
/// All of it may be used from any thread. What it tells is what this process has heard so far.
public final class BackgroundTask: Sendable, Identifiable {
    /// How far it is, as `URLSessionTask.State` has it.
    public enum State: Hashable, Sendable {
        /// Not yet handed over, or told to wait. A new task is.
        case suspended
        /// Handed over: it may wait for the machine, for its date, or for its turn.
        case running
        /// Told to end; its last event has not come yet.
        case canceling
        /// Over.
        case completed
    }

    /// Unique in its session and never used again there.
    public let identifier: Int
    let session: String
    private let channel: any SessionChannel
    private let content: Mutex<Content>

    struct Content: Sendable {
        var snapshot: TaskSnapshot
        var state: State
        /// Whether the other side has it.
        var isSubmitted: Bool
        var failure: FailureDescription?
        var question: Question?
    }

    /// What the program is asked of it.
    enum Question: Sendable {
        case begin
        case login
    }

    init(_ snapshot: TaskSnapshot, isSubmitted: Bool, session: String, channel: any SessionChannel) {
        identifier = snapshot.identifier
        self.session = session
        self.channel = channel
        let state: State = snapshot.isOver ? .completed : snapshot.isSuspended || !isSubmitted ? .suspended : .running
        content = Mutex(Content(snapshot: snapshot, state: state, isSubmitted: isSubmitted))
    }

    // MARK: What it is

    /// Whether it uploads a file.
    public var isUpload: Bool { snapshot.kind != .download }
    /// How far it is.
    public var state: State { content.withLock(\.state) }
    /// What was asked for.
    public var request: URLRequest? { snapshot.request.request }
    /// What the server answered last, error statuses included; nil before it has.
    public var response: HTTPURLResponse? { snapshot.response?.response }
    /// Why it ended without an answer; nil while it has not.
    public var error: URLError? {
        content.withLock { content in content.failure.map { $0.error(url: content.snapshot.request.url) } }
    }
    /// Bytes of the body that are on disk.
    public var countOfBytesReceived: Int64 { snapshot.received }
    /// Bytes of the file that were sent.
    public var countOfBytesSent: Int64 { snapshot.sent }
    /// How many there will be of what it transfers; −1 where that is not known.
    public var countOfBytesExpected: Int64 { snapshot.total ?? -1 }

    var snapshot: TaskSnapshot { content.withLock(\.snapshot) }

    // MARK: What the app says of it

    /// A note of the app's own, kept with the task.
    public var note: String? {
        get { snapshot.note }
        set { change { $0.note = newValue } }
    }
    /// From 0 (least) to 1; 0.5 at first. Others are taken as the nearest of these.
    public var priority: Float {
        get { snapshot.priority }
        set { change { $0.priority = newValue.isNaN ? 0.5 : min(1, max(0, newValue)) } }
    }
    /// When it may begin; nil at once.
    public var earliestBeginDate: Date? {
        get { snapshot.earliestBegin.map(Date.init) }
        set { change { $0.earliestBegin = newValue.map(WallTime.init) } }
    }
    /// The most bytes that it is thought to send, headers included; −1 where the app does not know.
    public var countOfBytesClientExpectsToSend: Int64 {
        get { snapshot.expectedToSend }
        set { change { $0.expectedToSend = max(-1, newValue) } }
    }
    /// The most bytes that it is thought to receive, headers included; −1 where the app does not know.
    public var countOfBytesClientExpectsToReceive: Int64 {
        get { snapshot.expectedToReceive }
        set { change { $0.expectedToReceive = max(-1, newValue) } }
    }

    private func change(_ body: (inout TaskSnapshot) -> Void) {
        content.withLock { content in
            let before = content.snapshot
            body(&content.snapshot)
            guard content.isSubmitted, content.state != .completed, content.snapshot != before else { return }
            // Under the lock, as all orders: they arrive in the order in which they were thought of.
            channel.post(.change(content.snapshot), in: session)
        }
    }

    // MARK: Steering

    /// Hands it over the first time; lets it go on after ``suspend()``. Nothing where it runs or is over.
    public func resume() {
        content.withLock { content in
            guard content.state == .suspended else { return }
            content.state = .running
            content.snapshot.isSuspended = false
            channel.post(content.isSubmitted ? .resume(identifier) : .submit(content.snapshot), in: session)
            content.isSubmitted = true
        }
    }

    /// Stops it until it is resumed; the bytes that are on disk stay.
    public func suspend() {
        content.withLock { content in
            guard content.state == .running else { return }
            content.state = .suspended
            content.snapshot.isSuspended = true
            channel.post(.suspend(identifier), in: session)
        }
    }

    /// Ends it and removes its bytes. Its last event says so.
    public func cancel() { cancel { .cancel($0) } }

    /// Ends a download, keeping its bytes for another one.
    ///
    /// - Returns: what `BackgroundSession.download(continuing:)` continues it by; nil for an upload, and where it is over.
    public func cancelKeepingBytes() -> Data? {
        guard !isUpload else {
            cancel()
            return nil
        }
        let token = "\(session).\(identifier)"
        guard cancel({ .cancelKeeping($0, token: token) }) else { return nil }
        return ResumeData(token: token, request: snapshot.request, note: snapshot.note).encoded
    }

    @discardableResult
    private func cancel(_ order: (Int) -> TaskOrder) -> Bool {
        content.withLock { content in
            guard content.state == .suspended || content.state == .running else { return false }
            content.state = .canceling
            // The other side ends every task, also one that it has not heard of: it numbers and keeps the event.
            if !content.isSubmitted { channel.post(.submit(content.suspendedSnapshot), in: session) }
            content.isSubmitted = true
            channel.post(order(identifier), in: session)
            return true
        }
    }

    // MARK: Answering

    /// Lets a task begin whose date has come, as its ``BackgroundEvent/Kind/willBegin(_:_:)`` asked; nothing else.
    ///
    /// - Parameter request: what is asked of the server instead of the task's request, with a fresh token for example.
    /// - Throws: `SessionError` for another scheme than http and https.
    public func begin(with request: URLRequest? = nil) throws(SessionError) {
        guard let request else { return answer(.begin, .begin(identifier, .asBefore)) }
        let description = try RequestDescription(request)
        answer(.begin, .begin(identifier, .with(description)))
        content.withLock { $0.snapshot.request = description }
    }

    /// Answers a server that asked for a login by ``BackgroundEvent/Kind/challenged(_:_:)``; no other server gets it.
    public func answer(user: String, password: String) {
        answer(.login, .answer(identifier, .credential(user: user, password: password)))
    }

    /// Answers a server that asked for a token, with a fresh one: the task goes on where it was, with `Authorization: Bearer`
    /// and the token in place of what its request had there. No other server gets it.
    ///
    /// A token that cannot be one (RFC 6750 §2.1) is not sent: the server's refusal is its answer then.
    public func answer(token: String) {
        guard ChallengeReply.isToken(token) else {
            Log.warning("a token has signs that no token has, or too many; the server's refusal is its answer")
            return answer(.login, .answer(identifier, .none))
        }
        answer(.login, .answer(identifier, .token(token)))
    }

    /// What follows where the program has not answered.
    func answerIfUnanswered() {
        answer(.begin, .begin(identifier, .unasked))
        answer(.login, .answer(identifier, .none))
    }

    private func answer(_ question: Question, _ order: TaskOrder) {
        content.withLock { content in
            guard content.question == question, content.state != .canceling else { return }
            content.question = nil
            channel.post(order, in: session)
        }
    }

    // MARK: What is heard of it

    /// Follows an event of this task.
    func follow(_ kind: SessionEvent.Kind) {
        content.withLock { content in
            switch kind {
            case .received(let bytes, let total):
                content.snapshot.received = bytes
                content.snapshot.total = total ?? content.snapshot.total
            case .sent(let bytes, let total):
                content.snapshot.sent = bytes
                content.snapshot.total = total ?? content.snapshot.total
            case .continued(let offset, let total):
                content.snapshot.received = offset
                content.snapshot.total = total ?? content.snapshot.total
            case .responded(let response): content.snapshot.response = response
            case .completed(let failure):
                content.state = .completed
                content.snapshot.isOver = true
                content.failure = failure
            case .willBegin: content.question = .begin
            case .challenged: content.question = .login
            // These say nothing of how far it is.
            case .downloaded, .body, .called, .finishedEvents, .invalidated: break
            }
        }
    }
}

extension BackgroundTask.Content {
    /// As it is handed over only to be ended.
    fileprivate var suspendedSnapshot: TaskSnapshot {
        var snapshot = snapshot
        snapshot.isSuspended = true
        return snapshot
    }
}
