// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
internal import Synchronization

/// A session with Apple's names and behavior, whose transfers can continue while this program is not running.
///
/// A session whose configuration has an identifier is a background session. Every other session is
/// FoundationNetworking's own.
///
/// ```swift
/// let configuration = URLSessionConfiguration.background(withIdentifier: "episodes")
/// let session = URLSession(configuration: configuration, delegate: downloads, delegateQueue: nil)
/// session.downloadTask(with: episode).resume()
/// ```
///
/// Apple's API throws an exception for some mistakes: a background session without a delegate, or a task with a
/// completion handler in a background session. Here, such a mistake ends the program with a message that says what to
/// do instead. ``BackgroundSession`` throws an error.
///
/// ## Topics
///
/// ### Creating a Session
/// - ``SessionMaking/init(configuration:delegate:delegateQueue:)``
/// - ``SessionMaking/init(configuration:)``
/// - ``shared``
/// - ``delegate``
///
/// ### Adding Tasks
/// - ``downloadTask(with:)-(URL)``
/// - ``downloadTask(with:)-(URLRequest)``
/// - ``downloadTask(withResumeData:)``
/// - ``uploadTask(with:fromFile:)``
///
/// ### Listing Tasks
/// - ``getAllTasks(completionHandler:)``
/// - ``getTasksWithCompletionHandler(_:)``
///
/// ### Ending a Session
/// - ``finishTasksAndInvalidate()``
/// - ``invalidateAndCancel()``
open class URLSession: FoundationNetworking.URLSession, SessionMaking, @unchecked Sendable {
    /// The background session that runs the tasks. `nil` for one of FoundationNetworking's own sessions.
    let background: BackgroundSession?
    let tasks = Mutex<[Int: URLSessionTask]>([:])
    // Retained until the session is invalidated, as the superclass retains its delegate.
    let retainedDelegate: Mutex<(any URLSessionDelegate)?>

    /// The valid background sessions of this process, by identifier.
    static let openSessions = Mutex<[String: URLSession]>([:])
    private static let sharedSession = URLSession(plain: .default, nil, nil)

    /// The shared session of this process. It is not a background session.
    open override class var shared: URLSession { sharedSession }

    /// The delegate of the session. `nil` after the session has been invalidated.
    open override var delegate: (any FoundationNetworking.URLSessionDelegate)? {
        get { background == nil ? super.delegate : retainedDelegate.withLock { $0 } }
        set { _ = newValue }  // The superclass's own setter is not public.
    }

    private init(
        plain configuration: FoundationNetworking.URLSessionConfiguration, _ delegate: (any URLSessionDelegate)?,
        _ queue: OperationQueue?
    ) {
        background = nil
        retainedDelegate = Mutex(nil)
        super.init(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    private init(
        _ session: BackgroundSession, _ configuration: FoundationNetworking.URLSessionConfiguration,
        _ delegate: any URLSessionDelegate, _ queue: OperationQueue?
    ) {
        background = session
        retainedDelegate = Mutex(delegate)
        super.init(configuration: configuration, delegate: nil, delegateQueue: queue)
    }

    /// Returns the session for a configuration. If a background session with the identifier exists in this process,
    /// returns that session.
    static func made(
        _ configuration: FoundationNetworking.URLSessionConfiguration, _ delegate: (any URLSessionDelegate)?,
        _ queue: OperationQueue?
    ) -> URLSession {
        guard let description = BackgroundSessionConfiguration(configuration) else {
            return URLSession(plain: configuration, delegate, queue)
        }
        // Under the lock, so that two threads that create the same session receive a single one.
        return openSessions.withLock { openSessions in
            if let session = openSessions[description.identifier] {
                Log.warning("A background session with identifier \(description.identifier) already exists!")
                return session
            }
            guard let delegate else {
                failForMisuse(
                    SessionError(
                        code: .noDelegate,
                        message: """
                            The background session '\(description.identifier)' needs a delegate, which receives the \
                            events from the time when the program was not running.
                            """))
            }
            do throws(SessionError) {
                let background = try BackgroundSession(description)
                let session = URLSession(background, configuration, delegate, queue)
                openSessions[description.identifier] = session
                session.deliver()
                return session
            } catch {
                failForMisuse(error)
            }
        }
    }

    // MARK: Invalidation

    /// Accepts no new tasks. The session ends when its existing tasks have ended.
    open override func finishTasksAndInvalidate() {
        guard let background else { return super.finishTasksAndInvalidate() }
        background.finishTasksAndInvalidate()
    }

    /// Cancels all tasks and ends the session.
    open override func invalidateAndCancel() {
        guard let background else { return super.invalidateAndCancel() }
        background.invalidateAndCancel()
    }

    // MARK: Tasks

    /// Calls the handler on the delegate queue with the tasks that have not ended.
    open override func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        guard let background else { return super.getAllTasks(completionHandler: completionHandler) }
        Task {
            let unfinished = await background.unfinishedOrKnownTasks()
            let tasks = unfinished.map { task(for: $0) }
            delegateQueue.addOperation { completionHandler(tasks) }
        }
    }

    /// Calls the handler with the tasks that have not ended, by kind. A background session has no data tasks.
    open override func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
    ) {
        guard background != nil else { return super.getTasksWithCompletionHandler(completionHandler) }
        getAllTasks { tasks in
            completionHandler(
                [], tasks.compactMap { $0 as? URLSessionUploadTask }, tasks.compactMap { $0 as? URLSessionDownloadTask }
            )
        }
    }

    /// Creates a suspended task that downloads the contents of a URL.
    open override func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// Creates a suspended task that downloads the response to a request.
    open override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        guard let background else { return super.downloadTask(with: request) }
        return download { () throws(SessionError) in try background.download(request) }
    }

    /// Creates a suspended task that continues a canceled download.
    open override func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        guard let background else { return super.downloadTask(withResumeData: resumeData) }
        return download { () throws(SessionError) in try background.download(continuing: resumeData) }
    }

    private func download(_ make: () throws(SessionError) -> BackgroundTask) -> URLSessionDownloadTask {
        do throws(SessionError) {
            let task = BackgroundDownloadTask(try make())
            tasks.withLock { $0[task.taskIdentifier] = task }
            return task
        } catch {
            failForMisuse(error)
        }
    }

    /// Creates a suspended task that uploads a file. See <doc:UploadingFromAFile>.
    open override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        guard let background else { return super.uploadTask(with: request, fromFile: fileURL) }
        do throws(SessionError) {
            let task = BackgroundUploadTask(try background.upload(request, fromFile: fileURL))
            tasks.withLock { $0[task.taskIdentifier] = task }
            return task
        } catch {
            failForMisuse(error)
        }
    }

    // MARK: Tasks that need the running program

    /// Creates a data task. Ends the program in a background session, which cannot keep data in memory.
    open override func dataTask(with request: URLRequest) -> URLSessionDataTask {
        refuseInBackground(.inMemory)
        return super.dataTask(with: request)
    }

    /// Creates a data task. Ends the program in a background session, which cannot keep data in memory.
    open override func dataTask(with url: URL) -> URLSessionDataTask {
        refuseInBackground(.inMemory)
        return super.dataTask(with: url)
    }

    /// Creates a data task. Ends the program in a background session, which cannot keep data in memory.
    open override func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        refuseInBackground(.inMemory)
        return super.dataTask(with: request, completionHandler: completionHandler)
    }

    /// Creates a data task. Ends the program in a background session, which cannot keep data in memory.
    open override func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        refuseInBackground(.inMemory)
        return super.dataTask(with: url, completionHandler: completionHandler)
    }

    /// Creates an upload task from data. Ends the program in a background session, which uploads files only.
    open override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        refuseInBackground(.uploadWithoutFile)
        return super.uploadTask(with: request, from: bodyData)
    }

    /// Creates an upload task from a stream. Ends the program in a background session, which uploads files only.
    open override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        refuseInBackground(.uploadWithoutFile)
        return super.uploadTask(withStreamedRequest: request)
    }

    /// Creates an upload task from data. Ends the program in a background session, which uploads files only.
    open override func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseInBackground(.uploadWithoutFile)
        return super.uploadTask(with: request, from: bodyData, completionHandler: completionHandler)
    }

    /// Creates an upload task with a completion handler. Ends the program in a background session, which uses its
    /// delegate.
    open override func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseInBackground(.completionHandler)
        return super.uploadTask(with: request, fromFile: fileURL, completionHandler: completionHandler)
    }

    /// Creates a download task with a completion handler. Ends the program in a background session, which uses its
    /// delegate.
    open override func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        refuseInBackground(.completionHandler)
        return super.downloadTask(with: request, completionHandler: completionHandler)
    }

    /// Creates a download task with a completion handler. Ends the program in a background session, which uses its
    /// delegate.
    open override func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        refuseInBackground(.completionHandler)
        return super.downloadTask(with: url, completionHandler: completionHandler)
    }

    /// Creates a download task with a completion handler. Ends the program in a background session, which uses its
    /// delegate.
    open override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        refuseInBackground(.completionHandler)
        return super.downloadTask(withResumeData: resumeData, completionHandler: completionHandler)
    }

    private func refuseInBackground(_ task: UnsupportedTask) {
        if let background { failForMisuse(task.error(in: background.configuration.identifier)) }
    }
}
