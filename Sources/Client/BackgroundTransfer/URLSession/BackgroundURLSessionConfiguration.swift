// SPDX-License-Identifier: Apache-2.0
import FoundationNetworking

/// A configuration that also stores the settings that FoundationNetworking lacks. It supports copying because
/// `URLSession` copies its configuration.
///
/// Not thread-safe, like its superclass, which is nevertheless declared `Sendable`.
final class BackgroundURLSessionConfiguration: FoundationNetworking.URLSessionConfiguration, @unchecked Sendable, Made {
    /// The settings that FoundationNetworking lacks. The identifier and the remaining settings are those of the
    /// superclass.
    var additionalSettings = BackgroundSessionConfiguration(identifier: "")

    // The superclass deprecates this initializer and has no other.
    @available(*, deprecated)
    override init() { super.init() }

    override func copy(with zone: NSZone?) -> Any {
        let copy = Self.made()
        copy.additionalSettings = additionalSettings
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

/// A type whose only initializer is deprecated. The protocol allows a call without a warning.
protocol Made { init() }

extension Made {
    static func made() -> Self { Self() }
}
