// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// What a background session works by.
public struct BackgroundSessionConfiguration: Hashable, Sendable, Codable {
    /// The session's name: unique within the app, the same whenever the app recreates the session. Neither empty nor
    /// longer than ``longestIdentifier`` bytes.
    public var identifier: String
    /// Whether its transfers may wait for better conditions: by default for mains and an unmetered network. Default false.
    public var isDiscretionary = false
    /// Whether the app is started when the session needs it. Default true.
    public var sendsLaunchEvents = true
    /// Seconds without a byte after which an attempt has failed and is made again; above 0. Default 60.
    public var requestTimeout: TimeInterval = 60
    /// Seconds that a whole transfer may take, waiting included; above 0. Default 7 days.
    public var resourceTimeout: TimeInterval = 604_800
    /// Whether cellular networks may be used. Default true.
    public var allowsCellularAccess = true
    /// Whether networks that cost by the byte may be used. Default true.
    public var allowsExpensiveNetworkAccess = true
    /// Whether networks on which the person wants to save may be used. Default true.
    public var allowsConstrainedNetworkAccess = true
    /// Header fields of every request that does not set them itself.
    public var additionalHeaders: [String: String] = [:]
    /// The most transfers from one host at once, 1 or more. Default 6.
    public var maximumConnectionsPerHost = 6
    /// The folder that programs of one publisher share; finished files land there. Nil: the app's own cache folder.
    public var sharedContainerIdentifier: String?
    /// Whether a redirect from https to http is followed. Default false.
    public var allowsInsecureRedirect = false

    /// Whether the app is asked for a token where a server wants one (`401` with `WWW-Authenticate: Bearer`), and started
    /// for that where it does not run. Default false: the server's refusal is its answer.
    public var answersBearerChallenges = false

    /// The most bytes of an identifier.
    public static let longestIdentifier = 255

    /// The defaults, as Apple's systems have them.
    public init(identifier: String) {
        self.identifier = identifier
    }

    /// - Throws: `SessionError` that names the first value that cannot be.
    func check() throws(SessionError) {
        guard !identifier.isEmpty, identifier.utf8.count <= Self.longestIdentifier, !identifier.utf8.contains(0) else {
            throw SessionError(
                code: .badIdentifier,
                message: """
                    A background session needs an identifier of 1 to \(Self.longestIdentifier) bytes without NUL, the same \
                    at each start of the app; this one has \(identifier.utf8.count).
                    """)
        }
    }
}
