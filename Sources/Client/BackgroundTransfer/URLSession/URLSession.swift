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
/// completion handler in a background session. Here, each of these mistakes ends the program with a message that
/// names the remedy. ``BackgroundSession`` throws an error.
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
/// - ``allTasks``
/// - ``tasks``
/// - ``getTasksWithCompletionHandler(_:)``
///
/// ### Ending a Session
/// - ``finishTasksAndInvalidate()``
/// - ``invalidateAndCancel()``
open class URLSession: FoundationNetworking.URLSession, SessionMaking, @unchecked Sendable {
    /// The background session that runs the tasks. `nil` for one of FoundationNetworking's own sessions.
    let background: BackgroundSession?
    let objects = TaskObjects()
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
                if let warning = DelegateConformance.warning(about: delegate) { Log.warning("\(warning)") }
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

    /// Calls the handler on the delegate queue with the tasks whose end the delegate has not handled.
    ///
    /// A task that ended while the program was not running is included until
    /// `urlSession(_:task:didCompleteWithError:)` has returned. A program that compares the tasks with its own list
    /// therefore does not take a finished download for a lost one.
    open override func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        guard let background else { return super.getAllTasks(completionHandler: completionHandler) }
        Task {
            let tasks = await background.unhandledTasks().map(objects.object)
            delegateQueue.addOperation { completionHandler(tasks) }
        }
    }

    /// Calls the handler with the tasks whose end the delegate has not handled, by kind. A background session has no data tasks.
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
        return orMisused { () throws(SessionError) in
            objects.add(try background.download(request), of: self)
        }
    }

    /// Creates a suspended task that continues a canceled download.
    open override func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        guard let background else { return super.downloadTask(withResumeData: resumeData) }
        return orMisused { () throws(SessionError) in
            objects.add(try background.download(continuing: resumeData), of: self)
        }
    }

    /// Creates a suspended task that uploads a file. See <doc:UploadingFromAFile>.
    open override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        guard let background else { return super.uploadTask(with: request, fromFile: fileURL) }
        return orMisused { () throws(SessionError) in
            objects.add(try background.upload(request, fromFile: fileURL), of: self)
        }
    }

    // MARK: Tasks that need the running program

    /// Creates a data task. In a background session, which cannot keep data in memory, the task fails when it is
    /// resumed.
    open override func dataTask(with request: URLRequest) -> URLSessionDataTask {
        guard background != nil else { return super.dataTask(with: request) }
        return RefusedDataTask(objects.nextRefusedIdentifier(), request, in: self)
    }

    /// Creates a data task. In a background session, which cannot keep data in memory, the task fails when it is
    /// resumed.
    open override func dataTask(with url: URL) -> URLSessionDataTask {
        guard background != nil else { return super.dataTask(with: url) }
        return RefusedDataTask(objects.nextRefusedIdentifier(), URLRequest(url: url), in: self)
    }

    /// Creates a data task. Ends the program in a background session, which cannot keep data in memory.
    open override func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        UnsupportedTask.inMemory.refuse(in: self)
        return super.dataTask(with: request, completionHandler: completionHandler)
    }

    /// Creates a data task. Ends the program in a background session, which cannot keep data in memory.
    open override func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        UnsupportedTask.inMemory.refuse(in: self)
        return super.dataTask(with: url, completionHandler: completionHandler)
    }

    /// Creates an upload task from data. Ends the program in a background session, which uploads files only.
    open override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        UnsupportedTask.uploadWithoutFile.refuse(in: self)
        return super.uploadTask(with: request, from: bodyData)
    }

    /// Creates an upload task from a stream. Ends the program in a background session, which uploads files only.
    open override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        UnsupportedTask.uploadWithoutFile.refuse(in: self)
        return super.uploadTask(withStreamedRequest: request)
    }

    /// Creates an upload task from data. Ends the program in a background session, which uploads files only.
    open override func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        UnsupportedTask.uploadWithoutFile.refuse(in: self)
        return super.uploadTask(with: request, from: bodyData, completionHandler: completionHandler)
    }

    /// Creates an upload task with a completion handler. Ends the program in a background session, which uses its
    /// delegate.
    open override func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        UnsupportedTask.completionHandler.refuse(in: self)
        return super.uploadTask(with: request, fromFile: fileURL, completionHandler: completionHandler)
    }

    /// Creates a download task with a completion handler. Ends the program in a background session, which uses its
    /// delegate.
    open override func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        UnsupportedTask.completionHandler.refuse(in: self)
        return super.downloadTask(with: request, completionHandler: completionHandler)
    }

    /// Creates a download task with a completion handler. Ends the program in a background session, which uses its
    /// delegate.
    open override func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        UnsupportedTask.completionHandler.refuse(in: self)
        return super.downloadTask(with: url, completionHandler: completionHandler)
    }

    /// Creates a download task with a completion handler. Ends the program in a background session, which uses its
    /// delegate.
    open override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        UnsupportedTask.completionHandler.refuse(in: self)
        return super.downloadTask(withResumeData: resumeData, completionHandler: completionHandler)
    }
}
