// SPDX-License-Identifier: Apache-2.0

// Keys of `connectionProxyDictionary` in Apple's API. On Linux, the system configures proxies.

/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesHTTPEnable = "HTTPEnable"
/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesHTTPProxy = "HTTPProxy"
/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesHTTPPort = "HTTPPort"
/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesHTTPSEnable = "HTTPSEnable"
/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesHTTPSProxy = "HTTPSProxy"
/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesHTTPSPort = "HTTPSPort"
/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesSOCKSEnable = "SOCKSEnable"
/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesSOCKSProxy = "SOCKSProxy"
/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesSOCKSPort = "SOCKSPort"
/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesExceptionsList = "ExceptionsList"
/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesProxyAutoConfigEnable = "ProxyAutoConfigEnable"
/// A key of Apple's proxy dictionaries.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesProxyAutoConfigURLString = "ProxyAutoConfigURLString"
