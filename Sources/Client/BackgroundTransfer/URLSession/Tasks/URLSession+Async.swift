// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// The asynchronous forms of Apple's methods.
extension URLSession {
    // MARK: Listing tasks

    /// The tasks whose end the delegate has not handled.
    public var allTasks: [URLSessionTask] {
        get async { await withCheckedContinuation { found in getAllTasks { found.resume(returning: $0) } } }
    }

    /// The tasks whose end the delegate has not handled, by kind. A background session has no data tasks.
    public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async {
            await withCheckedContinuation { found in
                getTasksWithCompletionHandler { found.resume(returning: ($0, $1, $2)) }
            }
        }
    }

    // MARK: Transfers inside the program

    /// Loads the response to a request into memory.
    ///
    /// - Throws: ``SessionError`` in a background session, whose tasks must not depend on the running program.
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try UnsupportedTask.awaited.check(self)
        return try await super.data(for: request, delegate: delegate)
    }

    /// Loads the contents of a URL into memory.
    ///
    /// - Throws: ``SessionError`` in a background session, whose tasks must not depend on the running program.
    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try UnsupportedTask.awaited.check(self)
        return try await super.data(from: url, delegate: delegate)
    }

    /// Uploads a file.
    ///
    /// - Throws: ``SessionError`` in a background session, whose tasks must not depend on the running program.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try UnsupportedTask.awaited.check(self)
        return try await super.upload(for: request, fromFile: fileURL, delegate: delegate)
    }

    /// Uploads data.
    ///
    /// - Throws: ``SessionError`` in a background session, whose tasks must not depend on the running program.
    public func upload(
        for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try UnsupportedTask.uploadWithoutFile.check(self)
        return try await super.upload(for: request, from: bodyData, delegate: delegate)
    }

    /// Downloads the response to a request.
    ///
    /// - Throws: ``SessionError`` in a background session, whose tasks must not depend on the running program.
    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try UnsupportedTask.awaited.check(self)
        return try await super.download(for: request, delegate: delegate)
    }

    /// Downloads the contents of a URL.
    ///
    /// - Throws: ``SessionError`` in a background session, whose tasks must not depend on the running program.
    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try UnsupportedTask.awaited.check(self)
        return try await super.download(from: url, delegate: delegate)
    }
}

extension URLSession {
    /// Creates an upload task that continues a canceled upload.
    @available(
        *, unavailable,
        message:
            "An upload continues by itself if its server supports that. Create the upload again with uploadTask(with:fromFile:)."
    )
    public func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask { fatalError("unavailable") }
}
