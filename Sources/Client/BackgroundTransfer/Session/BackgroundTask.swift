// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
internal import Logging
internal import Synchronization
internal import TransferModel

/// A download or upload of a background session. The task continues while this program is not running.
///
/// A task is safe to use from any thread. Its properties reflect the events that this process has received.
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
/// ### Replying to Events
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
    /// Whether the task had ended before this process opened its session.
    private let wasOver: Bool
    /// The number of bytes received or sent before this process opened the session.
    let countAtOpening: Int64
    let channel: any SessionChannel
    let content: Mutex<Content>

    struct Content: Sendable {
        var snapshot: TaskSnapshot
        var state: State
        /// The time of the first `resume()` in this process, or of the opening of the session.
        var began = Date()
        /// Whether the service has the task.
        var isSubmitted: Bool
        /// Whether this process has received the task's end.
        var isEndReported = false
        var failure: FailureDescription?
        var pendingReply: PendingReply?
        /// The way in which this process has canceled the task.
        var cancellation: Cancellation?
        /// Called after each change of the task's progress or state.
        var observer: (@Sendable () -> Void)?
    }

    /// The ways to cancel a task.
    enum Cancellation: Sendable {
        case removingBytes
        case keepingBytes
    }

    /// The kinds of task events that wait for a reply from the program.
    enum PendingReply: Sendable {
        case begin
        case login
    }

    init(_ snapshot: TaskSnapshot, isSubmitted: Bool, session: String, channel: any SessionChannel) {
        identifier = snapshot.identifier
        self.session = session
        self.channel = channel
        wasOver = snapshot.isEnded
        countAtOpening = snapshot.kind == .download ? snapshot.received : snapshot.sent
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
    ///
    /// The error of a download may contain resume data for ``BackgroundSession/download(continuing:)``.
    public var error: URLError? {
        let (content, wasOver) = (content.withLock { $0 }, wasOver)
        guard let failure = content.failure else { return nil }
        // The stored request of an ended task contains no secrets, so the request cannot be sent again.
        let isContinuable = !isUpload && !wasOver && content.cancellation != .removingBytes && failure.isContinuable
        let wasQuit = failure.code == URLError.Code.cancelled.rawValue && content.cancellation == nil && !wasOver
        return failure.error(
            url: content.snapshot.request.url, resumeData: isContinuable ? resumeData : nil,
            cancelledReason: wasQuit ? .userForceQuitApplication : nil)
    }
    /// The number of bytes of the response body that are on disk.
    public var countOfBytesReceived: Int64 { snapshot.received }
    /// The number of bytes of the file that were sent.
    public var countOfBytesSent: Int64 { snapshot.sent }
    /// The number of bytes that the task transfers in total, or −1 if unknown.
    public var countOfBytesExpected: Int64 { snapshot.total ?? -1 }

    var snapshot: TaskSnapshot { content.withLock(\.snapshot) }
    var began: Date { content.withLock(\.began) }

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
            // All orders are posted under the lock, so that the service receives them in sequence.
            channel.post(.change(content.snapshot.withoutBody), in: session)
        }
    }

    // MARK: Control

    /// Submits the task, or resumes it after ``suspend()``. Has no effect on a task that is running or has ended.
    public func resume() {
        defer { reportChange() }
        content.withLock { content in
            guard content.state == .suspended else { return }
            if !content.isSubmitted { content.began = Date() }
            content.state = .running
            content.snapshot.isSuspended = false
            channel.post(content.isSubmitted ? .resume(identifier) : .submit(content.snapshot), in: session)
            content.isSubmitted = true
        }
    }

    /// Pauses the task until it is resumed. Bytes that are already on disk are kept.
    public func suspend() {
        defer { reportChange() }
        content.withLock { content in
            guard content.state == .running else { return }
            content.state = .suspended
            content.snapshot.isSuspended = true
            channel.post(.suspend(identifier), in: session)
        }
    }

    /// Cancels the task and removes its bytes. The task's last event reports the cancellation.
    public func cancel() { cancel(.removingBytes) { .cancel($0) } }

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
        guard cancel(.keepingBytes, { .cancelKeeping($0, token: resumeToken) }) else { return nil }
        return resumeData
    }

    /// The token under which the service may keep the bytes of the task.
    private var resumeToken: String { "\(session).\(identifier)" }

    private var resumeData: Data? {
        let snapshot = snapshot
        return ResumeData(token: resumeToken, request: snapshot.request, note: snapshot.note).encoded
    }

    @discardableResult
    private func cancel(_ way: Cancellation, _ order: (Int) -> TaskOrder) -> Bool {
        defer { reportChange() }
        return content.withLock { content in
            guard content.state == .suspended || content.state == .running else { return false }
            (content.state, content.cancellation) = (.canceling, way)
            // The service ends every task, even an unsubmitted task, because the service numbers and stores the last
            // event.
            if !content.isSubmitted { channel.post(.submit(content.suspendedSnapshot), in: session) }
            content.isSubmitted = true
            channel.post(order(identifier), in: session)
            return true
        }
    }
}

extension BackgroundTask.Content {
    /// The snapshot for submitting a task that ends immediately.
    fileprivate var suspendedSnapshot: TaskSnapshot {
        var snapshot = snapshot
        snapshot.isSuspended = true
        return snapshot
    }
}
