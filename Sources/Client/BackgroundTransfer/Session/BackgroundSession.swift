// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
internal import Synchronization
internal import TransferModel

/// Downloads and uploads that go on without this program: a background session without Apple's names.
///
/// ```swift
/// let session = try await BackgroundSession.open(BackgroundSessionConfiguration(identifier: "episodes"))
/// try session.download(URLRequest(url: episode)).resume()
/// for await event in session.events {
///     if case .downloaded(let task, let file) = event.kind { try move(file, of: task) }
///     event.acknowledge()
/// }
/// ```
///
/// A program that is started again makes the session again, with the same identifier, and is told what happened meanwhile.
///
/// ## Topics
/// - ``download(_:)``
/// - ``upload(_:fromFile:)``
/// - ``events``
public final class BackgroundSession: Sendable {
    /// What it works by.
    public let configuration: BackgroundSessionConfiguration
    /// What happens, for one reader; what was not acknowledged at the last start comes first.
    public var events: BackgroundEvents { BackgroundEvents(session: self, events: opened.events) }

    private let channel: any SessionChannel
    private let opened: OpenedSession
    private let content: Mutex<Content>

    private struct Content {
        var nextTask: Int
        var tasks: [Int: BackgroundTask]
        var isInvalidated = false
    }

    /// Joins this program to the session of that identifier, which is made where there is none.
    ///
    /// Blocks until the other side has answered; ``open(_:)`` does not.
    /// - Throws: `SessionError`, of the code `inUse` where another process uses the session.
    public convenience init(_ configuration: BackgroundSessionConfiguration) throws(SessionError) {
        try self.init(configuration, over: SessionChannels.current())
    }

    /// The same for asynchronous code, whose few threads the initializer would block until the other side has answered.
    ///
    /// - Throws: `SessionError`, of the code `inUse` where another process uses the session.
    public static func open(_ configuration: BackgroundSessionConfiguration) async throws -> BackgroundSession {
        try await open(configuration, over: SessionChannels.current())
    }

    package static func open(
        _ configuration: BackgroundSessionConfiguration, over channel: any SessionChannel
    ) async throws -> BackgroundSession {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try BackgroundSession(configuration, over: channel) })
            }
        }
    }

    package init(
        _ configuration: BackgroundSessionConfiguration, over channel: any SessionChannel
    ) throws(SessionError) {
        try configuration.check()
        self.configuration = configuration
        self.channel = channel
        opened = try channel.open(configuration)
        let tasks = opened.tasks.map {
            BackgroundTask($0, isSubmitted: true, session: configuration.identifier, channel: channel)
        }
        content = Mutex(
            Content(
                nextTask: opened.nextTask,
                tasks: Dictionary(tasks.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })))
    }

    // MARK: Tasks

    /// A download of what an http or https address gives; suspended.
    ///
    /// - Throws: `SessionError` for another scheme, or where the session has been invalidated.
    public func download(_ request: URLRequest) throws(SessionError) -> BackgroundTask {
        try add(.download, RequestDescription(request))
    }

    /// A download that goes on where ``BackgroundTask/cancelKeepingBytes()`` ended one; suspended.
    ///
    /// It begins anew where the bytes are gone, or the server's file has changed.
    /// - Throws: `SessionError` where the data is none of that, or the session has been invalidated.
    public func download(continuing data: Data) throws(SessionError) -> BackgroundTask {
        let resume = try ResumeData(decoding: data)
        return try add(.download, resume.request) {
            $0.continues = resume.token
            $0.note = resume.note
        }
    }

    /// An upload of a file, which has to stay as it is until the task is over; suspended. Without a method it is a POST.
    ///
    /// - Throws: `SessionError` where the file cannot be read, for another scheme than http and https, or where the session
    ///   has been invalidated.
    public func upload(_ request: URLRequest, fromFile file: URL) throws(SessionError) -> BackgroundTask {
        var description = try RequestDescription(request)
        if description.method == nil || description.method == "GET" { description.method = "POST" }
        var isFolder: ObjCBool = false
        guard file.isFileURL, FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder),
            !isFolder.boolValue, FileManager.default.isReadableFile(atPath: file.path)
        else {
            throw SessionError(
                code: .unreadableFile,
                message:
                    "'\(file.isFileURL ? file.path : file.absoluteString)' is no file that can be read and uploaded.")
        }
        return try add(.upload(path: file.standardizedFileURL.path), description)
    }

    private func add(
        _ kind: TaskSnapshot.Kind, _ request: RequestDescription, _ change: (inout TaskSnapshot) -> Void = { _ in }
    ) throws(SessionError) -> BackgroundTask {
        let task = content.withLock { content -> BackgroundTask? in
            guard !content.isInvalidated else { return nil }
            var snapshot = TaskSnapshot(identifier: content.nextTask, kind: kind, request: request)
            change(&snapshot)
            content.nextTask += 1
            let task = BackgroundTask(
                snapshot, isSubmitted: false, session: configuration.identifier, channel: channel)
            content.tasks[task.identifier] = task
            return task
        }
        guard let task else {
            throw SessionError(
                code: .invalidated,
                message: """
                    The background session '\(configuration.identifier)' has been invalidated and takes no more tasks. \
                    Make it again first.
                    """)
        }
        return task
    }

    /// The tasks that are not over, as they stand now, in the order in which they were made.
    public func unfinishedTasks() async throws(SessionError) -> [BackgroundTask] {
        // What others know of them is newer than what was told.
        let told = try await channel.tasks(of: configuration.identifier)
        content.withLock { content in
            for snapshot in told where !snapshot.isOver {
                guard let task = content.tasks[snapshot.identifier] else { continue }
                task.follow(isUploadEvent(snapshot))
            }
        }
        return knownTasks.filter { $0.state != .completed }
    }

    private func isUploadEvent(_ snapshot: TaskSnapshot) -> SessionEvent.Kind {
        snapshot.kind == .download
            ? .received(snapshot.received, total: snapshot.total) : .sent(snapshot.sent, total: snapshot.total)
    }

    /// All of which this process knows, in the order in which they were made.
    var knownTasks: [BackgroundTask] {
        content.withLock { $0.tasks.values.sorted { $0.identifier < $1.identifier } }
    }

    // MARK: Its end

    /// Takes no more tasks, and ends when those that there are have ended.
    public func finishTasksAndInvalidate() { invalidate(cancelling: false) }

    /// Cancels all tasks, and ends.
    public func invalidateAndCancel() { invalidate(cancelling: true) }

    private func invalidate(cancelling: Bool) {
        let tasks = content.withLock { content in
            content.isInvalidated = true
            return content.tasks.values.sorted { $0.identifier < $1.identifier }
        }
        if cancelling { for task in tasks { task.cancel() } }
        closeIfDone()
    }

    /// Whether it takes no more tasks.
    public var isInvalidated: Bool { content.withLock(\.isInvalidated) }

    private func closeIfDone() {
        let isDone = content.withLock { $0.isInvalidated && $0.tasks.isEmpty }
        if isDone { channel.close(configuration.identifier) }
    }

    /// No event comes any more.
    func ended() { content.withLock { $0.isInvalidated = true } }

    // MARK: Events

    /// Follows an event and says it as the program is told; nil for what is of a task that nobody knows.
    func take(_ event: SessionEvent) -> BackgroundEvent? {
        let identifier = configuration.identifier
        let acknowledge: @Sendable () -> Void = { [channel] in
            if let number = event.number { channel.acknowledge(number, in: identifier) }
        }
        guard let number = event.task else {
            switch event.kind {
            case .finishedEvents: return BackgroundEvent(.finishedEvents, acknowledgement: acknowledge)
            case .called: BackgroundApplication.shared.handleEvents(of: identifier)
            default: break
            }
            return nil
        }
        guard let task = content.withLock({ $0.tasks[number] }) else {
            // It would come again for ever.
            acknowledge()
            return nil
        }
        task.follow(event.kind)
        switch event.kind {
        case .received(let bytes, let total):
            return BackgroundEvent(.received(task, bytes: bytes, total: total), acknowledgement: acknowledge)
        case .sent(let bytes, let total):
            return BackgroundEvent(.sent(task, bytes: bytes, total: total), acknowledgement: acknowledge)
        case .continued(let offset, let total):
            return BackgroundEvent(.continued(task, offset: offset, total: total), acknowledgement: acknowledge)
        case .responded(let description):
            return description.response.map { BackgroundEvent(.responded(task, $0), acknowledgement: acknowledge) }
        case .downloaded(let path):
            return BackgroundEvent(.downloaded(task, URL(fileURLWithPath: path)), acknowledgement: acknowledge)
        case .body(let data):
            return BackgroundEvent(.body(task, Data(data)), acknowledgement: acknowledge)
        case .completed:
            return BackgroundEvent(.completed(task, task.error)) { [self] in
                acknowledge()
                content.withLock { $0.tasks[number] = nil }
                closeIfDone()
            }
        case .willBegin(let request):
            guard let request = request.request else { return nil }
            return BackgroundEvent(.willBegin(task, request)) { task.answerIfUnanswered() }
        case .challenged(let description):
            guard let challenge = BackgroundChallenge(description) else { return nil }
            return BackgroundEvent(.challenged(task, challenge)) { task.answerIfUnanswered() }
        case .called, .finishedEvents, .invalidated: return nil
        }
    }
}

extension BackgroundChallenge {
    fileprivate init?(_ description: ChallengeDescription) {
        guard let scheme = Scheme(rawValue: description.scheme) else { return nil }
        self.init(
            scheme: scheme, realm: description.realm, host: description.host, port: description.port,
            isSecure: description.isSecure, refusals: description.refusals)
    }
}

extension BackgroundSession {
    /// The tasks that are not over, as this process knows them where nobody can be asked.
    func unfinishedOrKnownTasks() async -> [BackgroundTask] {
        do {
            return try await unfinishedTasks()
        } catch {
            return knownTasks.filter { $0.state != .completed }
        }
    }
}
