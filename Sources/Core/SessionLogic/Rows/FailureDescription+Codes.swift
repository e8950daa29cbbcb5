// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The codes of Foundation's `URLError`, a type that is not available here.
enum URLErrorCode: Int {
    case unknown = -1
    case cancelled = -999
    case timedOut = -1001
    case unsupportedURL = -1002
    case cannotFindHost = -1003
    case networkConnectionLost = -1005
    case httpTooManyRedirects = -1007
    case badServerResponse = -1011
    case userAuthenticationRequired = -1013
    case cannotDecodeContentData = -1016
    case fileDoesNotExist = -1100
    case dataLengthExceedsMaximum = -1103
    case secureConnectionFailed = -1200
    case serverCertificateUntrusted = -1202
    case cannotWriteToFile = -3003
}

extension FailureDescription {
    /// The failure that an app receives for a task that it canceled.
    package static let cancelled = FailureDescription(code: .cancelled, "the task was canceled")

    init(code: URLErrorCode, _ message: String) { self.init(code: code.rawValue, message: message) }

    /// The failure that an app receives for a task that cannot become a transfer.
    package static func unsupported(_ message: String) -> FailureDescription {
        FailureDescription(code: .unsupportedURL, message)
    }

    /// Creates the failure that an app receives if a transfer fails.
    package init(_ failure: TransferFailure) {
        self.init(code: URLErrorCode(failure.cause), failure.message)
    }
}

extension URLErrorCode {
    fileprivate init(_ cause: FailureCause) {
        self =
            switch cause {
            case .nameResolution: .cannotFindHost
            case .connection, .captivePortal, .executorLost: .networkConnectionLost
            case .timeout, .tooSlow, .expired, .noProgress: .timedOut
            case .handshake: .secureConnectionFailed
            case .malformedResponse, .status, .checksumMismatch: .badServerResponse
            case .certificate: .serverCertificateUntrusted
            case .unsupportedURL: .unsupportedURL
            case .redirect: .httpTooManyRedirects
            case .destination, .folderUnavailable, .fileInUse: .cannotWriteToFile
            case .encodedBody: .cannotDecodeContentData
            case .tooLarge: .dataLengthExceedsMaximum
            case .sourceChanged: .fileDoesNotExist
            case .proxyAuthentication: .userAuthenticationRequired
            }
    }
}
