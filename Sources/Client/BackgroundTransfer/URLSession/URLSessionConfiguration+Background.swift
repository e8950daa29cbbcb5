// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

// FoundationNetworking declares some of these properties as unavailable, declares others without effect, and lacks
// the rest. The declarations of this module take precedence.
extension FoundationNetworking.URLSessionConfiguration {
    /// Returns a configuration for a session whose transfers continue while this program is not running.
    ///
    /// - Parameter identifier: The identifier of the session: unique within the app, and the same each time that the
    ///   app opens the session.
    /// - Returns: A new configuration with the defaults of a background session.
    public class func background(withIdentifier identifier: String) -> FoundationNetworking.URLSessionConfiguration {
        let configuration = BackgroundURLSessionConfiguration.made()
        configuration.identifier = identifier
        configuration.httpMaximumConnectionsPerHost = 6
        return configuration
    }

    private var background: BackgroundURLSessionConfiguration? { self as? BackgroundURLSessionConfiguration }

    /// A Boolean value that indicates whether the app is started when the session needs it.
    ///
    /// The default of a background session is `true`. For other sessions, the value is `false` and cannot be changed.
    public var sessionSendsLaunchEvents: Bool {
        get { background?.additionalSettings.sendsLaunchEvents ?? false }
        set { background?.additionalSettings.sendsLaunchEvents = newValue }
    }

    /// A Boolean value that indicates whether tasks wait for a network instead of failing. Always `true` in a
    /// background session, and always `false` in other sessions. Setting the property has no effect.
    public var waitsForConnectivity: Bool {
        get { background != nil }
        // A background session always waits, and no other session on Linux can wait.
        set { _ = newValue }
    }

    /// A Boolean value that indicates whether transfers may use networks that charge by the byte.
    ///
    /// The default is `true`. Has an effect only in a background session.
    public var allowsExpensiveNetworkAccess: Bool {
        get { background?.additionalSettings.allowsExpensiveNetworkAccess ?? true }
        set { background?.additionalSettings.allowsExpensiveNetworkAccess = newValue }
    }

    /// A Boolean value that indicates whether transfers may use networks on which the user wants to save data.
    ///
    /// The default is `true`. Has an effect only in a background session.
    public var allowsConstrainedNetworkAccess: Bool {
        get { background?.additionalSettings.allowsConstrainedNetworkAccess ?? true }
        set { background?.additionalSettings.allowsConstrainedNetworkAccess = newValue }
    }

    /// The identifier of a folder that the programs of one publisher share. Finished files of a background session
    /// are placed in that folder.
    ///
    /// The default is `nil`: finished files are placed in the app's own cache folder.
    public var sharedContainerIdentifier: String? {
        get { background?.additionalSettings.sharedContainerIdentifier }
        set { background?.additionalSettings.sharedContainerIdentifier = newValue }
    }

    /// A Boolean value that indicates whether a background session follows redirects from https to http.
    ///
    /// The default is `false`. Apple's API does not have this property.
    public var allowsInsecureRedirect: Bool {
        get { background?.additionalSettings.allowsInsecureRedirect ?? false }
        set { background?.additionalSettings.allowsInsecureRedirect = newValue }
    }

    /// A Boolean value that indicates whether the delegate of a background session receives a challenge when a server
    /// requires a token.
    ///
    /// `NSURLAuthenticationMethodHTTPBearer` describes the challenge. If the app is not running, the daemon starts the
    /// app for the reply. The default is `false`: the server's refusal becomes the response of the task. Apple's API
    /// does not have this property.
    public var answersBearerChallenges: Bool {
        get { background?.additionalSettings.answersBearerChallenges ?? false }
        set { background?.additionalSettings.answersBearerChallenges = newValue }
    }
}

extension BackgroundSessionConfiguration {
    /// Creates the settings of a background session from a configuration in Apple's form. Returns `nil` if the
    /// configuration has no identifier.
    init?(_ configuration: FoundationNetworking.URLSessionConfiguration) {
        guard let identifier = configuration.identifier else { return nil }
        self = (configuration as? BackgroundURLSessionConfiguration)?.additionalSettings ?? Self(identifier: identifier)
        self.identifier = identifier
        isDiscretionary = configuration.isDiscretionary
        requestTimeout = configuration.timeoutIntervalForRequest
        resourceTimeout = configuration.timeoutIntervalForResource
        allowsCellularAccess = configuration.allowsCellularAccess
        maximumConnectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
            additionalHeaders["\(name.base)"] = "\(value)"
        }
    }
}
