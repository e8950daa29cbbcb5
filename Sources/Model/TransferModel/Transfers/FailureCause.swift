// SPDX-License-Identifier: Apache-2.0

/// Why an attempt failed, as far as deciding what follows needs to know.
public enum FailureCause: Hashable, Sendable, Codable {
    // May pass: tried again by the retry rule, partial file kept.
    /// The server's name could not be resolved.
    case nameResolution
    /// Refused, reset, lost or cut short.
    case connection
    /// No byte for the request's timeout.
    case timeout
    /// Bytes came, but fewer than the least rate that is waited for.
    case tooSlow
    /// The TLS handshake failed for another reason than the certificate.
    case handshake
    /// The answer was not HTTP, or broke its rules.
    case malformedAnswer
    /// A login page of the network came in place of the file.
    case captivePortal
    /// An HTTP status that may pass: 408, 425, 429, 500, 502, 503, 504.
    case status(Int)
    /// The body did not have the checksum that was asked for.
    case checksumMismatch
    /// The executor itself ended under the transfer.
    case executorLost
    /// The destination's folder cannot be reached just now, because the service that gives it does not run.
    case folderUnavailable
    /// Another process is writing the partial file: mostly the worker of a daemon that was killed, which follows it at once.
    case fileInUse

    // Will not pass: final.
    /// The server's certificate is not valid for it.
    case certificate
    /// Not http or https, or not a URL at all.
    case unsupportedURL
    /// A loop, too many hops, or a hop to where none may go.
    case redirect
    /// The destination cannot be written: a directory, a device, read-only, no permission.
    case destination
    /// The body came in an encoding that cannot be checked here.
    case encodedBody
    /// More bytes than were allowed.
    case tooLarge
    /// It was not done by the date at which it was to be given up.
    case expired
    /// Not one new byte in all the time that is waited for one.
    case noProgress
    /// The file to upload is gone, cannot be read, or is not what it was when it was handed over.
    case sourceChanged
    /// The proxy wants a user and password, or others than it got.
    case proxyAuthentication

    /// Whether another attempt may end better.
    public var mayPass: Bool {
        switch self {
        case .nameResolution, .connection, .timeout, .tooSlow, .handshake, .malformedAnswer, .captivePortal, .status,
            .checksumMismatch, .executorLost, .folderUnavailable, .fileInUse:
            true
        case .certificate, .unsupportedURL, .redirect, .destination, .encodedBody, .tooLarge, .expired, .noProgress,
            .sourceChanged, .proxyAuthentication:
            false
        }
    }

    /// A stable name for logs, JSON and the store.
    public var code: String {
        switch self {
        case .nameResolution: "nameResolution"
        case .connection: "connection"
        case .timeout: "timeout"
        case .tooSlow: "tooSlow"
        case .handshake: "handshake"
        case .malformedAnswer: "malformedAnswer"
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

    /// The cause in a few words for people.
    public var phrase: String {
        switch self {
        case .nameResolution: "the server's name was not found"
        case .connection: "the connection was refused or lost"
        case .timeout: "the server did not answer in time"
        case .tooSlow: "the server sent too slowly"
        case .handshake: "the TLS handshake failed"
        case .malformedAnswer: "the server's answer could not be understood"
        case .captivePortal: "the network's login page came in place of the file"
        case .status(let status): "the server answered \(status)"
        case .checksumMismatch: "the checksum did not match"
        case .executorLost: "the transfer process ended unexpectedly"
        case .folderUnavailable: "the folder for the file cannot be reached just now"
        case .fileInUse: "another process is writing the file"
        case .certificate: "the server's certificate is not valid"
        case .unsupportedURL: "only http and https URLs can be transferred"
        case .redirect: "the server redirected where it may not"
        case .destination: "the destination cannot be written"
        case .encodedBody: "the server sent an encoded body that cannot be checked"
        case .tooLarge: "the server sent more than was allowed"
        case .expired: "it was not done by the time at which it was to be given up"
        case .noProgress: "not one new byte came in all the time that was waited for one"
        case .sourceChanged: "the file to upload is gone, cannot be read or has changed"
        case .proxyAuthentication: "the proxy wants a user and password, or others than it got"
        }
    }
}
