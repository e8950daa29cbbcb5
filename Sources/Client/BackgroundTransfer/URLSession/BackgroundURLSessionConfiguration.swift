// SPDX-License-Identifier: Apache-2.0
import FoundationNetworking

/// FoundationNetworking's configuration with room for what it lacks. `URLSession` copies configurations, so it copies, too.
///
/// Not thread-safe, as its superclass, which claims to be `Sendable` all the same.
final class BackgroundURLSessionConfiguration: FoundationNetworking.URLSessionConfiguration, @unchecked Sendable, Made {
    /// What FoundationNetworking has no setting for; its identifier and the other settings are the superclass's.
    var more = BackgroundSessionConfiguration(identifier: "")

    // It is deprecated in the superclass, and there is no other.
    @available(*, deprecated)
    override init() { super.init() }

    override func copy(with zone: NSZone?) -> Any {
        let copy = Self.made()
        copy.more = more
        copy.identifier = identifier
        copy.requestCachePolicy = requestCachePolicy
        copy.timeoutIntervalForRequest = timeoutIntervalForRequest
        copy.timeoutIntervalForResource = timeoutIntervalForResource
        copy.networkServiceType = networkServiceType
        copy.allowsCellularAccess = allowsCellularAccess
        copy.isDiscretionary = isDiscretionary
        copy.connectionProxyDictionary = connectionProxyDictionary
        copy.httpShouldSetCookies = httpShouldSetCookies
        copy.httpCookieAcceptPolicy = httpCookieAcceptPolicy
        copy.httpAdditionalHeaders = httpAdditionalHeaders
        copy.httpMaximumConnectionsPerHost = httpMaximumConnectionsPerHost
        copy.httpCookieStorage = httpCookieStorage
        copy.urlCredentialStorage = urlCredentialStorage
        copy.urlCache = urlCache
        copy.protocolClasses = protocolClasses
        return copy
    }
}

/// Calls a deprecated initializer where it is the only one, without a warning.
protocol Made { init() }

extension Made {
    static func made() -> Self { Self() }
}
