// SPDX-License-Identifier: Apache-2.0

/// The keys of `connectionProxyDictionary` in Apple's API. On Linux, the system configures proxies.
@available(
    *, unavailable,
    message: "A session cannot choose a proxy. Set https_proxy and http_proxy in the environment of the daemon."
)
public let kCFNetworkProxiesHTTPEnable = "HTTPEnable",
    kCFNetworkProxiesHTTPProxy = "HTTPProxy",
    kCFNetworkProxiesHTTPPort = "HTTPPort",
    kCFNetworkProxiesHTTPSEnable = "HTTPSEnable",
    kCFNetworkProxiesHTTPSProxy = "HTTPSProxy",
    kCFNetworkProxiesHTTPSPort = "HTTPSPort",
    kCFNetworkProxiesSOCKSEnable = "SOCKSEnable",
    kCFNetworkProxiesSOCKSProxy = "SOCKSProxy",
    kCFNetworkProxiesSOCKSPort = "SOCKSPort",
    kCFNetworkProxiesExceptionsList = "ExceptionsList",
    kCFNetworkProxiesProxyAutoConfigEnable = "ProxyAutoConfigEnable",
    kCFNetworkProxiesProxyAutoConfigURLString = "ProxyAutoConfigURLString"
