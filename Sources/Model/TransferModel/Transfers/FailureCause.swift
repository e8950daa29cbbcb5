// SPDX-License-Identifier: Apache-2.0

/// A cause of a failed attempt, in the detail that the next decision needs.
///
/// ## Topics
///
/// ### Temporary causes
///
/// - ``nameResolution``
/// - ``connection``
/// - ``timeout``
/// - ``tooSlow``
/// - ``handshake``
/// - ``malformedResponse``
/// - ``captivePortal``
/// - ``status(_:)``
/// - ``checksumMismatch``
/// - ``executorLost``
/// - ``folderUnavailable``
/// - ``fileInUse``
///
/// ### Permanent causes
///
/// - ``certificate``
/// - ``unsupportedURL``
/// - ``redirect``
/// - ``destination``
/// - ``encodedBody``
/// - ``tooLarge``
/// - ``expired``
/// - ``noProgress``
/// - ``sourceChanged``
/// - ``proxyAuthentication``
///
/// ### Properties
///
/// - ``isTemporary``
/// - ``code``
/// - ``phrase``
public enum FailureCause: Hashable, Sendable, Codable {
    // Temporary causes: the transfer keeps its partial file and is retried.
    /// The server's name could not be resolved.
    case nameResolution
    /// The connection was refused, reset, lost, or cut short.
    case connection
    /// No byte arrived within the request's timeout.
    case timeout
    /// Bytes arrived, but more slowly than the minimum rate.
    case tooSlow
    /// The TLS handshake failed for a reason other than the certificate.
    case handshake
    /// The response was not HTTP, or violated its rules.
    case malformedResponse
    /// The network's login page arrived instead of the file.
    case captivePortal
    /// A temporary HTTP status: 408, 425, 429, 500, 502, 503, 504.
    case status(Int)
    /// The body did not match the requested checksum.
    case checksumMismatch
    /// The executor process ended during the transfer.
    case executorLost
    /// The destination's folder is temporarily unreachable, because the service that provides it is not running.
    case folderUnavailable
    /// Another process is writing the partial file.
    ///
    /// Usually, the process is the worker of a killed daemon, and ends soon after the daemon.
    case fileInUse

    // Permanent causes: the transfer fails.
    /// The certificate is not valid for the server.
    case certificate
    /// The URL is not valid, or its scheme is not http or https.
    case unsupportedURL
    /// The redirects form a loop, are too many, or lead to a forbidden location.
    case redirect
    /// The destination cannot be written: it is a directory or a device, is read-only, or lacks permission.
    case destination
    /// The body has an encoding that cannot be checked here.
    case encodedBody
    /// The body has more bytes than allowed.
    case tooLarge
    /// The transfer did not finish before its expiration date.
    case expired
    /// No new byte arrived during the whole time that the scheduler waits for progress.
    case noProgress
    /// The file to upload is missing, unreadable, or different from the submitted file.
    case sourceChanged
    /// The proxy requires a user name and a password, or rejected them.
    case proxyAuthentication

    private enum CodingKeys: String, CodingKey {
        case nameResolution, connection, timeout, tooSlow, handshake
        case malformedResponse = "malformedAnswer"
        case captivePortal, status, checksumMismatch, executorLost, folderUnavailable, fileInUse, certificate
        case unsupportedURL, redirect, destination, encodedBody, tooLarge, expired, noProgress, sourceChanged
        case proxyAuthentication
    }

    /// A Boolean value that indicates whether another attempt may succeed.
    public var isTemporary: Bool {
        switch self {
        case .nameResolution, .connection, .timeout, .tooSlow, .handshake, .malformedResponse, .captivePortal, .status,
            .checksumMismatch, .executorLost, .folderUnavailable, .fileInUse:
            true
        case .certificate, .unsupportedURL, .redirect, .destination, .encodedBody, .tooLarge, .expired, .noProgress,
            .sourceChanged, .proxyAuthentication:
            false
        }
    }

    /// The stable name of the cause in logs, JSON, and the store.
    public var code: String {
        switch self {
        case .nameResolution: "nameResolution"
        case .connection: "connection"
        case .timeout: "timeout"
        case .tooSlow: "tooSlow"
        case .handshake: "handshake"
        case .malformedResponse: "malformedAnswer"
        case .captivePortal: "captivePortal"
        case .status: "status"
        case .checksumMismatch: "checksumMismatch"
        case .executorLost: "executorLost"
        case .folderUnavailable: "folderUnavailable"
        case .fileInUse: "fileInUse"
        case .certificate: "certificate"
        case .unsupportedURL: "unsupportedURL"
        case .redirect: "redirect"
        case .destination: "destination"
        case .encodedBody: "encodedBody"
        case .tooLarge: "tooLarge"
        case .expired: "expired"
        case .noProgress: "noProgress"
        case .sourceChanged: "sourceChanged"
        case .proxyAuthentication: "proxyAuthentication"
        }
    }

    /// A short phrase that describes the cause to users.
    public var phrase: String {
        switch self {
        case .nameResolution: "the server's name was not found"
        case .connection: "the connection was refused or lost"
        case .timeout: "the server did not respond in time"
        case .tooSlow: "the server sent too slowly"
        case .handshake: "the TLS handshake failed"
        case .malformedResponse: "the server's response was not valid HTTP"
        case .captivePortal: "the network's login page arrived instead of the file"
        case .status(let status): "the server answered \(status)"
        case .checksumMismatch: "the checksum did not match"
        case .executorLost: "the transfer process ended unexpectedly"
        case .folderUnavailable: "the destination folder is temporarily unavailable"
        case .fileInUse: "another process is writing the file"
        case .certificate: "the server's certificate is not valid"
        case .unsupportedURL: "only http and https URLs can be transferred"
        case .redirect: "the server redirected to a location that is not allowed"
        case .destination: "the destination cannot be written"
        case .encodedBody: "the server sent an encoded body that cannot be checked"
        case .tooLarge: "the server sent more bytes than allowed"
        case .expired: "the transfer did not finish before its expiration date"
        case .noProgress: "no new data arrived within the time limit"
        case .sourceChanged: "the file to upload is missing, unreadable, or has changed"
        case .proxyAuthentication: "the proxy requires a user name and password, or rejected them"
        }
    }
}

/// An error that describes a failed attempt.
///
/// ```swift
/// throw TransferFailure(cause: .status(503), message: "503 Service Unavailable", retryAfterSeconds: 120)
/// ```
public struct TransferFailure: Error, Hashable, Sendable, Codable {
    /// The cause of the failure, which decides the next step.
    public var cause: FailureCause
    /// A sentence for users: the problem, its location, and the remedy.
    public var message: String
    /// The wait that the server requested with `Retry-After`, in seconds.
    public var retryAfterSeconds: Int64?
    /// The server that requested the wait, as `scheme://host:port`; `nil` if it is unknown. After a redirect, it can
    /// differ from the transfer's own server.
    public var retryAfterServer: String?

    /// Creates a failure.
    public init(
        cause: FailureCause, message: String, retryAfterSeconds: Int64? = nil, retryAfterServer: String? = nil
    ) {
        self.retryAfterServer = retryAfterServer
        self.cause = cause
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }
}
