// SPDX-License-Identifier: Apache-2.0
public import Foundation
package import TransferModel

/// The settings of a background session.
///
/// ```swift
/// var configuration = BackgroundSessionConfiguration(identifier: "episodes")
/// configuration.isDiscretionary = true
/// configuration.allowsExpensiveNetworkAccess = false
/// let session = try await BackgroundSession.open(configuration)
/// ```
///
/// ## Topics
///
/// ### Identifying the Session
/// - ``identifier``
/// - ``longestIdentifier``
/// - ``sharedContainerIdentifier``
///
/// ### Choosing Networks and Conditions
/// - ``isDiscretionary``
/// - ``allowsCellularAccess``
/// - ``allowsExpensiveNetworkAccess``
/// - ``allowsConstrainedNetworkAccess``
/// - ``maximumConnectionsPerHost``
///
/// ### Limiting Time
/// - ``requestTimeout``
/// - ``resourceTimeout``
///
/// ### Configuring Requests
/// - ``additionalHeaders``
/// - ``allowsInsecureRedirect``
///
/// ### Starting and Asking the App
/// - ``sendsLaunchEvents``
/// - ``answersBearerChallenges``
public struct BackgroundSessionConfiguration: Hashable, Sendable, Codable {
    /// The identifier of the session: unique within the app, and the same each time that the app opens the session.
    ///
    /// The identifier has 1 to ``longestIdentifier`` bytes and contains no NUL.
    public var identifier: String
    /// A Boolean value that indicates whether transfers may wait for better conditions: by default, AC power and an
    /// unmetered network. The default is `false`.
    public var isDiscretionary = false
    /// A Boolean value that indicates whether the app is started when the session needs it. The default is `true`.
    public var sendsLaunchEvents = true
    /// The number of seconds without a byte after which an attempt fails and is retried. Above 0; the default is 60.
    public var requestTimeout: TimeInterval = 60
    /// The number of seconds that a transfer may take in total, including waiting. Above 0; the default is 604,800 (7
    /// days).
    public var resourceTimeout: TimeInterval = 604_800
    /// A Boolean value that indicates whether transfers may use cellular networks. The default is `true`.
    public var allowsCellularAccess = true
    /// A Boolean value that indicates whether transfers may use networks that charge by the byte. The default is
    /// `true`.
    public var allowsExpensiveNetworkAccess = true
    /// A Boolean value that indicates whether transfers may use networks on which the user wants to save data. The
    /// default is `true`.
    public var allowsConstrainedNetworkAccess = true
    /// The header fields to add to each request that does not set them itself. The default is empty.
    public var additionalHeaders: [String: String] = [:]
    /// The maximum number of simultaneous transfers from one host, 1 or more. The default is 6.
    public var maximumConnectionsPerHost = 6
    /// The identifier of a folder that the programs of one publisher share. Finished files are placed in that folder.
    ///
    /// The default is `nil`: finished files are placed in the app's own cache folder.
    public var sharedContainerIdentifier: String?
    /// A Boolean value that indicates whether redirects from https to http are followed. The default is `false`.
    public var allowsInsecureRedirect = false

    /// A Boolean value that indicates whether the app is asked for a token when a server requires one.
    ///
    /// A server requires a token by responding `401` with `WWW-Authenticate: Bearer`. If the app is not running, it
    /// is started to answer. The default is `false`: the server's refusal becomes the response of the task.
    public var answersBearerChallenges = false

    /// The maximum length of an identifier, in bytes.
    public static let longestIdentifier = 255

    /// Creates a configuration with the defaults of Apple's platforms.
    ///
    /// - Parameter identifier: The identifier of the session.
    public init(identifier: String) {
        self.identifier = identifier
    }

    /// Checks that the identifier is valid.
    ///
    /// - Throws: `SessionError` with the code `badIdentifier` if the identifier is empty, too long, or contains NUL.
    func check() throws(SessionError) {
        guard !identifier.isEmpty, identifier.utf8.count <= Self.longestIdentifier, !identifier.utf8.contains(0) else {
            throw SessionError(
                code: .badIdentifier,
                message: """
                    A background session needs an identifier of 1 to \(Self.longestIdentifier) bytes without NUL, the same \
                    at each start of the app; this identifier has \(identifier.utf8.count) bytes.
                    """)
        }
    }
}

extension BackgroundSessionConfiguration {
    /// The settings to send to the service that runs the session.
    package var settings: SessionSettings {
        var settings = SessionSettings(identifier: identifier)
        settings.isDiscretionary = isDiscretionary
        settings.sendsLaunchEvents = sendsLaunchEvents
        settings.requestTimeout = requestTimeout
        settings.resourceTimeout = resourceTimeout
        settings.allowsCellularAccess = allowsCellularAccess
        settings.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        settings.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        settings.additionalHeaders = additionalHeaders
        settings.maximumConnectionsPerHost = maximumConnectionsPerHost
        settings.sharedContainerIdentifier = sharedContainerIdentifier
        settings.allowsInsecureRedirect = allowsInsecureRedirect
        settings.answersBearerChallenges = answersBearerChallenges
        return settings
    }
}
