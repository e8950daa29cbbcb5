// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
internal import Logging
internal import Synchronization
internal import TransferModel

/// A download or upload of a background session. The task continues while this program is not running.
///
/// A task is safe to use from any thread. Its properties report what this process has learned so far.
///
/// ## Topics
///
/// ### Identifying the Task
/// - ``identifier``
/// - ``isUpload``
/// - ``request``
/// - ``note``
///
/// ### Following the Task
/// - ``state``
/// - ``response``
/// - ``error``
/// - ``countOfBytesReceived``
/// - ``countOfBytesSent``
/// - ``countOfBytesExpected``
///
/// ### Scheduling
/// - ``priority``
/// - ``earliestBeginDate``
/// - ``countOfBytesClientExpectsToSend``
/// - ``countOfBytesClientExpectsToReceive``
///
/// ### Controlling
/// - ``resume()``
/// - ``suspend()``
/// - ``cancel()``
/// - ``cancelKeepingBytes()``
///
/// ### Answering Events
/// - ``begin(with:)``
/// - ``answer(user:password:)``
/// - ``answer(token:)``
public final class BackgroundTask: Sendable, Identifiable {
    /// The states of a task. They match those of `URLSessionTask.State`.
    public enum State: Hashable, Sendable {
        /// The task was not submitted yet, or was suspended. A new task has this state.
        case suspended
        /// The task is submitted. It may still wait for better conditions, for its date, or for its turn.
        case running
        /// The task was canceled, and its last event has not arrived yet.
        case canceling
        /// The task has ended.
        case completed
    }

    /// The number of the task, unique within its session and never reused there.
    public let identifier: Int
    let session: String
    private let channel: any SessionChannel
    private let content: Mutex<Content>

    struct Content: Sendable {
        var snapshot: TaskSnapshot
        var state: State
        /// Whether the other side has the task.
        var isSubmitted: Bool
        var failure: FailureDescription?
        var pendingReply: PendingReply?
    }

    /// The kinds of events about a task that wait for a reply of the program.
    enum PendingReply: Sendable {
        case begin
        case login
    }

    init(_ snapshot: TaskSnapshot, isSubmitted: Bool, session: String, channel: any SessionChannel) {
        identifier = snapshot.identifier
        self.session = session
        self.channel = channel
        let state: State = snapshot.isEnded ? .completed : snapshot.isSuspended || !isSubmitted ? .suspended : .running
        content = Mutex(Content(snapshot: snapshot, state: state, isSubmitted: isSubmitted))
    }

    // MARK: Properties

    /// A Boolean value that indicates whether the task uploads a file.
    public var isUpload: Bool { snapshot.kind != .download }
    /// The current state of the task.
    public var state: State { content.withLock(\.state) }
    /// The request of the task. `nil` if its URL cannot be parsed.
    public var request: URLRequest? { snapshot.request.request }
    /// The server's latest response, including error statuses. `nil` until the server has responded.
    public var response: HTTPURLResponse? { snapshot.response?.response }
    /// The reason that the task ended without a response. `nil` while the task has not ended, and if the server
    /// responded.
    public var error: URLError? {
        content.withLock { content in content.failure.map { $0.error(url: content.snapshot.request.url) } }
    }
    /// The number of bytes of the response body that are on disk.
    public var countOfBytesReceived: Int64 { snapshot.received }
    /// The number of bytes of the file that were sent.
    public var countOfBytesSent: Int64 { snapshot.sent }
    /// The number of bytes that the task transfers in total, or −1 if unknown.
    public var countOfBytesExpected: Int64 { snapshot.total ?? -1 }

    var snapshot: TaskSnapshot { content.withLock(\.snapshot) }

    // MARK: Settings of the App

    /// A note of the app, stored with the task.
    public var note: String? {
        get { snapshot.note }
        set { change { $0.note = newValue } }
    }
    /// The priority of the task, from 0 (lowest) to 1 (highest). The default is 0.5.
    ///
    /// Values out of range are clamped, and NaN becomes 0.5.
    public var priority: Float {
        get { snapshot.priority }
        set { change { $0.priority = newValue.isNaN ? 0.5 : min(1, max(0, newValue)) } }
    }
    /// The earliest date at which the task may begin. `nil` (the default) means immediately.
    public var earliestBeginDate: Date? {
        get { snapshot.earliestBegin.map(Date.init) }
        set { change { $0.earliestBegin = newValue.map(WallTime.init) } }
    }
    /// The number of bytes that the app expects to send at most, headers included, or −1 if unknown.
    public var countOfBytesClientExpectsToSend: Int64 {
        get { snapshot.expectedToSend }
        set { change { $0.expectedToSend = max(-1, newValue) } }
    }
    /// The number of bytes that the app expects to receive at most, headers included, or −1 if unknown.
    public var countOfBytesClientExpectsToReceive: Int64 {
        get { snapshot.expectedToReceive }
        set { change { $0.expectedToReceive = max(-1, newValue) } }
    }

    private func change(_ body: (inout TaskSnapshot) -> Void) {
        content.withLock { content in
            let before = content.snapshot
            body(&content.snapshot)
            guard content.isSubmitted, content.state != .completed, content.snapshot != before else { return }
            // Posted under the lock, like every order, so that orders arrive in the order in which they were given.
            channel.post(.change(content.snapshot), in: session)
        }
    }

    // MARK: Control

    /// Submits the task, or resumes it after ``suspend()``. Has no effect on a task that is running or has ended.
    public func resume() {
        content.withLock { content in
            guard content.state == .suspended else { return }
            content.state = .running
            content.snapshot.isSuspended = false
            channel.post(content.isSubmitted ? .resume(identifier) : .submit(content.snapshot), in: session)
            content.isSubmitted = true
        }
    }

    /// Pauses the task until it is resumed. Bytes that are already on disk are kept.
    public func suspend() {
        content.withLock { content in
            guard content.state == .running else { return }
            content.state = .suspended
            content.snapshot.isSuspended = true
            channel.post(.suspend(identifier), in: session)
        }
    }

    /// Cancels the task and removes its bytes. The task's last event reports the cancellation.
    public func cancel() { cancel { .cancel($0) } }

    /// Cancels a download, and keeps its bytes for another task to continue from. An upload is canceled without
    /// keeping anything.
    ///
    /// - Returns: Resume data for ``BackgroundSession/download(continuing:)``, or `nil` if the task is an upload, was
    ///   already canceled, or has ended.
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
            // The other side ends every task, even a task that it has not seen before: it numbers and stores the last
            // event.
            if !content.isSubmitted { channel.post(.submit(content.suspendedSnapshot), in: session) }
            content.isSubmitted = true
            channel.post(order(identifier), in: session)
            return true
        }
    }

    // MARK: Answers

    /// Lets a delayed task begin. Answers a ``BackgroundEvent/Kind/willBegin(_:_:)`` event, and has no effect without
    /// one.
    ///
    /// - Parameter request: A request that replaces the task's own, with a fresh token for example. `nil` keeps the
    ///   task's request.
    /// - Throws: `SessionError` if the scheme of the new request is neither http nor https.
    public func begin(with request: URLRequest? = nil) throws(SessionError) {
        guard let request else { return answer(.begin, .begin(identifier, .asBefore)) }
        let description = try RequestDescription(request)
        answer(.begin, .begin(identifier, .with(description)))
        content.withLock { $0.snapshot.request = description }
    }

    /// Answers a server's ``BackgroundEvent/Kind/challenged(_:_:)`` event with a user name and a password. No other
    /// server receives them.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    public func answer(user: String, password: String) {
        answer(.login, .answer(identifier, .credential(user: user, password: password)))
    }

    /// Answers a server that required a token with a fresh token. No other server receives the token.
    ///
    /// The task continues where it was. Its `Authorization` header field becomes `Bearer` with the token.
    ///
    /// A string that is not a valid token (RFC 6750 §2.1) is not sent. The server's refusal then becomes the response
    /// of the task.
    ///
    /// - Parameter token: The token.
    public func answer(token: String) {
        guard ChallengeReply.isToken(token) else {
            Log.warning("not a valid token (RFC 6750); the server's refusal becomes the response of the task")
            return answer(.login, .answer(identifier, .none))
        }
        answer(.login, .answer(identifier, .token(token)))
    }

    /// Sends the default reply to an event that the program has not replied to.
    func replyByDefault() {
        answer(.begin, .begin(identifier, .unasked))
        answer(.login, .answer(identifier, .none))
    }

    private func answer(_ pendingReply: PendingReply, _ order: TaskOrder) {
        content.withLock { content in
            guard content.pendingReply == pendingReply, content.state != .canceling else { return }
            content.pendingReply = nil
            channel.post(order, in: session)
        }
    }

    // MARK: Events

    /// Updates the task from one of its events.
    func apply(_ kind: SessionEvent.Kind) {
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
                content.snapshot.isEnded = true
                content.failure = failure
            case .willBegin: content.pendingReply = .begin
            case .challenged: content.pendingReply = .login
            // These events do not change the progress of the task.
            case .downloaded, .body, .called, .finishedEvents, .invalidated: break
            }
        }
    }
}

extension BackgroundTask.Content {
    /// The snapshot of a task that is submitted only to be ended.
    fileprivate var suspendedSnapshot: TaskSnapshot {
        var snapshot = snapshot
        snapshot.isSuspended = true
        return snapshot
    }
}
