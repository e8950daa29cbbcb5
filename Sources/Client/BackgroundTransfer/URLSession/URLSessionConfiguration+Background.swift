// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

// FoundationNetworking has some of these as unavailable, as settings without effect, or not at all. A declaration of this
// module comes before it.
extension FoundationNetworking.URLSessionConfiguration {
    /// The configuration of a session whose transfers go on without this program.
    ///
    /// - Parameter identifier: names the session; unique within the app, and the same each time the app makes it again.
    public class func background(withIdentifier identifier: String) -> FoundationNetworking.URLSessionConfiguration {
        let configuration = BackgroundURLSessionConfiguration.made()
        configuration.identifier = identifier
        configuration.httpMaximumConnectionsPerHost = 6
        return configuration
    }

    private var background: BackgroundURLSessionConfiguration? { self as? BackgroundURLSessionConfiguration }

    /// Whether the app is started when the session needs it. True for a background session, else false and without effect.
    public var sessionSendsLaunchEvents: Bool {
        get { background?.more.sendsLaunchEvents ?? false }
        set { background?.more.sendsLaunchEvents = newValue }
    }

    /// Whether tasks wait for a network rather than fail: always in a background session, never in another one.
    public var waitsForConnectivity: Bool {
        get { background != nil }
        // A background session cannot do otherwise, and another one of Linux cannot wait.
        set { _ = newValue }
    }

    /// Whether networks that cost by the byte may be used. True at first; without effect but in a background session.
    public var allowsExpensiveNetworkAccess: Bool {
        get { background?.more.allowsExpensiveNetworkAccess ?? true }
        set { background?.more.allowsExpensiveNetworkAccess = newValue }
    }

    /// Whether networks on which the person wants to save may be used. True at first; without effect but in a background
    /// session.
    public var allowsConstrainedNetworkAccess: Bool {
        get { background?.more.allowsConstrainedNetworkAccess ?? true }
        set { background?.more.allowsConstrainedNetworkAccess = newValue }
    }

    /// The folder that programs of one publisher share, in which finished files of a background session land; nil at first.
    public var sharedContainerIdentifier: String? {
        get { background?.more.sharedContainerIdentifier }
        set { background?.more.sharedContainerIdentifier = newValue }
    }

    /// Whether a background session follows a redirect from https to http. False at first. Not Apple's.
    public var allowsInsecureRedirect: Bool {
        get { background?.more.allowsInsecureRedirect ?? false }
        set { background?.more.allowsInsecureRedirect = newValue }
    }

    /// Whether the delegate of a background session is asked for a token where a server wants one, as
    /// `NSURLAuthenticationMethodHTTPBearer` tells, and the app started for that where it does not run. False at first: the
    /// server's refusal is its answer. Not Apple's.
    public var answersBearerChallenges: Bool {
        get { background?.more.answersBearerChallenges ?? false }
        set { background?.more.answersBearerChallenges = newValue }
    }
}

extension BackgroundSessionConfiguration {
    /// What of a configuration of Apple's form a background session works by; nil where it has no identifier.
    init?(_ configuration: FoundationNetworking.URLSessionConfiguration) {
        guard let identifier = configuration.identifier else { return nil }
        self = (configuration as? BackgroundURLSessionConfiguration)?.more ?? Self(identifier: identifier)
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
