// SPDX-License-Identifier: Apache-2.0

/// Other URLs of a file, in the order in which they are tried after the transfer's own URL.
///
/// If an attempt fails or the server rejects it with a 4xx or 5xx status, the next URL is tried immediately. The wait before
/// a retry comes after the last URL. Only the origin of the transfer's own URL receives cookies, credentials, and header
/// fields other than User-Agent and Accept. Bytes of one URL are continued at another only with a checksum. A URL that has
/// delivered bytes is tried again first.
///
/// ```swift
/// specification.mirrors = ["https://mirror.example.org/file.iso"]
/// ```
public struct MirrorList: Hashable, Sendable, Codable, ExpressibleByArrayLiteral {
    /// The http or https URLs.
    public var urls: [String]
    /// The number of the URL that the next attempt uses: 0 for the transfer's own, and from 1 on for ``urls``.
    package var number = 0

    /// The maximum number of mirrors that the daemon and the tools accept.
    public static let maximumCount = 32

    /// Creates a list.
    public init(_ urls: [String]) { self.urls = urls }

    /// Creates a list.
    public init(arrayLiteral urls: String...) { self.init(urls) }

    /// The list whose next attempt uses the next URL, or `nil` after the last URL.
    package var next: MirrorList? {
        guard number < urls.count else { return nil }
        var copy = self
        copy.number += 1
        return copy
    }

    /// Returns the specification of an attempt at the current URL, without the secrets that another origin must not
    /// receive.
    package func attempt(of specification: TransferSpecification) -> TransferSpecification {
        var copy = specification
        copy.mirrors = nil
        guard number > 0, number <= urls.count else { return copy }
        copy.url = urls[number - 1]
        let own = TransferSpecification.Server(specification.url)
        guard own == nil || TransferSpecification.Server(copy.url)?.origin != own?.origin else { return copy }
        Self.removeSecrets(from: &copy)
        return copy
    }

    /// Removes cookies, credentials, and all header fields that may be secrets: only the server of the URL may receive them.
    package static func removeSecrets(from specification: inout TransferSpecification) {
        specification.headers = specification.headers.filter(\.isHarmless)
        (specification.cookies, specification.credential, specification.challengeResponses) = (nil, nil, [])
    }
}

extension HeaderField {
    /// A Boolean value that indicates whether the field may be sent to another origin than the one it was meant for. Any
    /// other field may be a secret, whatever its name.
    package var isHarmless: Bool {
        let name = name.lowercased()
        return name == "user-agent" || name == "accept" || name.hasPrefix("accept-")
    }
}

extension FailureCause {
    /// A Boolean value that indicates whether another server of the same file may succeed.
    package var concernsServer: Bool {
        switch self {
        case .nameResolution, .connection, .timeout, .tooSlow, .handshake, .malformedResponse, .captivePortal, .status,
            .checksumMismatch, .certificate, .unsupportedURL, .redirect, .encodedBody, .tooLarge:
            true
        case .executorLost, .folderUnavailable, .fileInUse, .destination, .expired, .noProgress, .sourceChanged,
            .proxyAuthentication:
            false
        }
    }
}
