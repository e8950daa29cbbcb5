// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
internal import Synchronization
internal import TransferModel

/// A session whose downloads and uploads continue while this program is not running.
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
/// ``URLSession`` offers the same function under Apple's names.
///
/// After each start, the program opens the session again with the same identifier. The session then reports
/// everything that happened in the meantime.
///
/// ## Topics
///
/// ### Opening a Session
/// - ``init(_:)``
/// - ``open(_:)``
/// - ``configuration``
///
/// ### Adding Tasks
/// - ``download(_:)``
/// - ``download(continuing:)``
/// - ``upload(_:fromFile:)``
/// - ``unfinishedTasks()``
///
/// ### Awaiting Files by Name
/// - ``file(for:id:options:)``
/// - ``transfer(for:id:options:)``
/// - ``files(for:options:)``
/// - ``transfers(for:options:)``
/// - ``remove(id:)``
///
/// ### Receiving Events
/// - ``events``
///
/// ### Ending a Session
/// - ``finishTasksAndInvalidate()``
/// - ``invalidateAndCancel()``
/// - ``isInvalidated``
public final class BackgroundSession: Sendable {
    /// The configuration that the session was opened with.
    public let configuration: BackgroundSessionConfiguration
    /// The events of the session, for a single reader. Events that were not acknowledged before the program ended
    /// come first.
    public var events: BackgroundEvents { BackgroundEvents(session: self, events: router.events) }

    let channel: any SessionChannel
    let application: BackgroundApplication
    private let router: EventRouter
    /// The transfers that the program awaits by name.
    let names: NamedTransferRegistry
    let content: Mutex<Content>

    struct Content {
        var nextTask: Int
        var tasks: [Int: BackgroundTask]
        var isInvalidated = false
    }

    /// Opens the session with the configuration's identifier. Creates the session if it does not exist.
    ///
    /// This initializer blocks the calling thread until the daemon or the embedded engine has responded. Asynchronous
    /// code calls ``open(_:)`` instead.
    ///
    /// - Parameter configuration: The settings of the session.
    /// - Throws: `SessionError`, with the code `inUse` if another process uses the session.
    public convenience init(_ configuration: BackgroundSessionConfiguration) throws(SessionError) {
        try self.init(configuration, over: SessionChannels.current())
    }

    /// Opens the session with the configuration's identifier, without blocking a thread of the cooperative pool.
    ///
    /// - Parameter configuration: The settings of the session.
    /// - Returns: The session, after the daemon or the embedded engine has responded.
    /// - Throws: `SessionError`, with the code `inUse` if another process uses the session.
    public static func open(_ configuration: BackgroundSessionConfiguration) async throws -> BackgroundSession {
        try await open(configuration, over: SessionChannels.current())
    }

    package static func open(
        _ configuration: BackgroundSessionConfiguration, over channel: any SessionChannel,
        in application: BackgroundApplication = .shared
    ) async throws -> BackgroundSession {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result { try BackgroundSession(configuration, over: channel, in: application) })
            }
        }
    }

    package convenience init(
        _ configuration: BackgroundSessionConfiguration, over channel: any SessionChannel
    ) throws(SessionError) {
        try self.init(configuration, over: channel, in: .shared)
    }

    init(
        _ configuration: BackgroundSessionConfiguration, over channel: any SessionChannel,
        in application: BackgroundApplication
    ) throws(SessionError) {
        try configuration.check()
        self.application = application
        self.configuration = configuration
        self.channel = channel
        let opened = try channel.open(configuration)
        let tasks = opened.tasks.map {
            BackgroundTask($0, isSubmitted: true, session: configuration.identifier, channel: channel)
        }
        content = Mutex(
            Content(
                nextTask: opened.nextTask,
                tasks: Dictionary(tasks.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })))
        names = NamedTransferRegistry(
            tasks, folder: opened.namedFilesFolder ?? SandboxFolder.namedFiles(of: configuration))
        router = EventRouter()
        if opened.tasks.contains(where: \.isEnded) {
            application.deliver { $0.oweEvents(of: configuration.identifier) }
        }
        router.route(opened.events, of: self)
    }

    // MARK: Tasks

    /// Creates a suspended task that downloads the response to an http or https request.
    ///
    /// After a failure, a request whose method is not `GET` is sent again from the beginning. The body has at most
    /// 256 KiB.
    ///
    /// Call ``BackgroundTask/resume()`` to submit the task.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The new task.
    /// - Throws: `SessionError` if the URL has another scheme, or if the session has been invalidated.
    public func download(_ request: URLRequest) throws(SessionError) -> BackgroundTask {
        try add(.download, RequestDescription(ofDownload: request))
    }

    /// Creates a suspended task that continues a download which ``BackgroundTask/cancelKeepingBytes()`` ended.
    ///
    /// The download starts over if the saved bytes are missing or the file on the server has changed.
    ///
    /// - Parameter data: The resume data that ``BackgroundTask/cancelKeepingBytes()`` returned.
    /// - Returns: The new task.
    /// - Throws: `SessionError` if `data` is not resume data, or if the session has been invalidated.
    public func download(continuing data: Data) throws(SessionError) -> BackgroundTask {
        let resume = try ResumeData(decoding: data)
        return try add(.download, resume.request) {
            $0.continues = resume.token
            $0.note = resume.note
        }
    }

    /// Creates a suspended task that uploads a file.
    ///
    /// The file may be deleted after ``BackgroundTask/resume()`` has returned, because the session keeps the file. Do
    /// not write to the file before the task has ended. See <doc:UploadingFromAFile>.
    ///
    /// A request whose method is missing or `GET` is sent as `POST`.
    ///
    /// - Parameters:
    ///   - request: The request to send. The file is its body.
    ///   - file: The file to upload.
    /// - Returns: The new task.
    /// - Throws: `SessionError` if the file cannot be read, if the URL's scheme is neither http nor https, or if the
    ///   session has been invalidated.
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
                    "Not a readable file: '\(file.isFileURL ? file.path : file.absoluteString)'.")
        }
        return try add(.upload(path: file.standardizedFileURL.path), description)
    }

    func add(
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
                    The background session '\(configuration.identifier)' has been invalidated and accepts no more \
                    tasks. Create the session again first.
                    """)
        }
        return task
    }

    /// Returns the tasks that have not ended, updated to their current progress, in order of creation.
    ///
    /// - Throws: `SessionError` if the daemon or the embedded engine cannot be reached.
    public func unfinishedTasks() async throws(SessionError) -> [BackgroundTask] {
        // The progress that the service reports is newer than the events that this process has received.
        let reportedTasks = try await channel.tasks(of: configuration.identifier)
        content.withLock { content in
            for snapshot in reportedTasks where !snapshot.isEnded {
                guard let task = content.tasks[snapshot.identifier] else { continue }
                task.apply(progressEvent(snapshot))
            }
        }
        return knownTasks.filter { $0.state != .completed }
    }

    private func progressEvent(_ snapshot: TaskSnapshot) -> SessionEvent.Kind {
        snapshot.kind == .download
            ? .received(snapshot.received, total: snapshot.total) : .sent(snapshot.sent, total: snapshot.total)
    }

    /// The tasks that this process knows of, in order of creation.
    var knownTasks: [BackgroundTask] {
        content.withLock { $0.tasks.values.sorted { $0.identifier < $1.identifier } }
    }

    /// Returns the tasks whose end the program has not handled, updated to their current progress if the service can
    /// be reached.
    func unhandledTasks() async -> [BackgroundTask] {
        _ = try? await unfinishedTasks()
        return knownTasks
    }

    // MARK: Invalidation

    /// Accepts no new tasks. The session ends when its existing tasks have ended.
    public func finishTasksAndInvalidate() { invalidate(cancelling: false) }

    /// Cancels all tasks and ends the session.
    public func invalidateAndCancel() { invalidate(cancelling: true) }

    private func invalidate(cancelling: Bool) {
        let tasks = content.withLock { content in
            content.isInvalidated = true
            return content.tasks.values.sorted { $0.identifier < $1.identifier }
        }
        if cancelling { for task in tasks { task.cancel() } }
        closeIfDone()
    }

    /// A Boolean value that indicates whether the session has been invalidated and accepts no new tasks.
    public var isInvalidated: Bool { content.withLock(\.isInvalidated) }

    func closeIfDone() {
        let isDone = content.withLock { $0.isInvalidated && $0.tasks.isEmpty }
        if isDone { channel.close(configuration.identifier) }
    }

    /// Records that the session has no more events.
    func ended() {
        content.withLock { $0.isInvalidated = true }
        application.deliver { $0.end(configuration.identifier) }
    }
}
