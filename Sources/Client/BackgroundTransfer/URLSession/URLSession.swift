// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
internal import Synchronization

/// A session with Apple's name and behaviour: where its configuration has an identifier, its transfers go on without this
/// program; else it is FoundationNetworking's own.
///
/// Mistakes for which Apple's API throws an exception (a background session without a delegate, a task with a completion
/// handler in it …) end the program with a message that says what would be right. ``BackgroundSession`` throws instead.
open class URLSession: FoundationNetworking.URLSession, SessionMaking, @unchecked Sendable {
    /// What carries the tasks out; nil for one of FoundationNetworking's own.
    let background: BackgroundSession?
    let tasks = Mutex<[Int: URLSessionTask]>([:])
    // Kept until the session is invalidated, as the superclass keeps a delegate.
    let told: Mutex<(any URLSessionDelegate)?>

    /// The background sessions of this process that live.
    static let alive = Mutex<[String: URLSession]>([:])
    private static let common = URLSession(plain: .default, nil, nil)

    /// The one session of this process that needs no making.
    open override class var shared: URLSession { common }

    /// The delegate, as long as the session lives.
    open override var delegate: (any FoundationNetworking.URLSessionDelegate)? {
        get { background == nil ? super.delegate : told.withLock { $0 } }
        set { _ = newValue }  // Nobody can: the superclass's own setter is not public.
    }

    private init(
        plain configuration: FoundationNetworking.URLSessionConfiguration, _ delegate: (any URLSessionDelegate)?,
        _ queue: OperationQueue?
    ) {
        background = nil
        told = Mutex(nil)
        super.init(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    private init(
        _ session: BackgroundSession, _ configuration: FoundationNetworking.URLSessionConfiguration,
        _ delegate: any URLSessionDelegate, _ queue: OperationQueue?
    ) {
        background = session
        told = Mutex(delegate)
        super.init(configuration: configuration, delegate: nil, delegateQueue: queue)
    }

    /// The session that a configuration asks for: of a background session the one that lives in this process, if any.
    static func made(
        _ configuration: FoundationNetworking.URLSessionConfiguration, _ delegate: (any URLSessionDelegate)?,
        _ queue: OperationQueue?
    ) -> URLSession {
        guard let description = BackgroundSessionConfiguration(configuration) else {
            return URLSession(plain: configuration, delegate, queue)
        }
        // Under the lock, so that two threads that make the same session get one.
        return alive.withLock { alive in
            if let session = alive[description.identifier] {
                Log.warning("A background session with identifier \(description.identifier) already exists!")
                return session
            }
            guard let delegate else {
                misused(
                    SessionError(
                        code: .noDelegate,
                        message: """
                            The background session '\(description.identifier)' needs a delegate: what happens while the \
                            program does not run can be told to nothing else.
                            """))
            }
            do throws(SessionError) {
                let background = try BackgroundSession(description)
                let session = URLSession(background, configuration, delegate, queue)
                alive[description.identifier] = session
                session.deliver()
                return session
            } catch {
                misused(error)
            }
        }
    }

    // MARK: Its end

    /// Takes no more tasks, and ends when those that there are have ended.
    open override func finishTasksAndInvalidate() {
        guard let background else { return super.finishTasksAndInvalidate() }
        background.finishTasksAndInvalidate()
    }

    /// Cancels all tasks, and ends.
    open override func invalidateAndCancel() {
        guard let background else { return super.invalidateAndCancel() }
        background.invalidateAndCancel()
    }

    // MARK: Its tasks

    /// The tasks that are not over.
    open override func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        guard let background else { return super.getAllTasks(completionHandler: completionHandler) }
        Task {
            let unfinished = await background.unfinishedOrKnownTasks()
            let tasks = unfinished.map { task(for: $0) }
            delegateQueue.addOperation { completionHandler(tasks) }
        }
    }

    /// The tasks that are not over, by kind; a background session has no data tasks.
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

    /// A download of what an address gives; suspended.
    open override func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// A download of what a request is answered with; suspended.
    open override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        guard let background else { return super.downloadTask(with: request) }
        return download { () throws(SessionError) in try background.download(request) }
    }

    /// A download that goes on where one was cancelled; suspended.
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
            misused(error)
        }
    }

    /// An upload of a file; suspended.
    open override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        guard let background else { return super.uploadTask(with: request, fromFile: fileURL) }
        do throws(SessionError) {
            let task = BackgroundUploadTask(try background.upload(request, fromFile: fileURL))
            tasks.withLock { $0[task.taskIdentifier] = task }
            return task
        } catch {
            misused(error)
        }
    }

    // MARK: What could not outlive the program

    /// Not in a background session.
    open override func dataTask(with request: URLRequest) -> URLSessionDataTask {
        refuseInBackground(.inMemory)
        return super.dataTask(with: request)
    }

    /// Not in a background session.
    open override func dataTask(with url: URL) -> URLSessionDataTask {
        refuseInBackground(.inMemory)
        return super.dataTask(with: url)
    }

    /// Not in a background session.
    open override func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        refuseInBackground(.inMemory)
        return super.dataTask(with: request, completionHandler: completionHandler)
    }

    /// Not in a background session.
    open override func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        refuseInBackground(.inMemory)
        return super.dataTask(with: url, completionHandler: completionHandler)
    }

    /// Not in a background session.
    open override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        refuseInBackground(.uploadWithoutFile)
        return super.uploadTask(with: request, from: bodyData)
    }

    /// Not in a background session.
    open override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        refuseInBackground(.uploadWithoutFile)
        return super.uploadTask(withStreamedRequest: request)
    }

    /// Not in a background session.
    open override func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseInBackground(.uploadWithoutFile)
        return super.uploadTask(with: request, from: bodyData, completionHandler: completionHandler)
    }

    /// Not in a background session.
    open override func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseInBackground(.completionHandler)
        return super.uploadTask(with: request, fromFile: fileURL, completionHandler: completionHandler)
    }

    /// Not in a background session.
    open override func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        refuseInBackground(.completionHandler)
        return super.downloadTask(with: request, completionHandler: completionHandler)
    }

    /// Not in a background session.
    open override func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        refuseInBackground(.completionHandler)
        return super.downloadTask(with: url, completionHandler: completionHandler)
    }

    /// Not in a background session.
    open override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        refuseInBackground(.completionHandler)
        return super.downloadTask(withResumeData: resumeData, completionHandler: completionHandler)
    }

    private func refuseInBackground(_ task: UnsupportedTask) {
        if let background { misused(task.error(in: background.configuration.identifier)) }
    }
}
