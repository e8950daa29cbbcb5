// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Decides which URLs use a proxy. Follows the rules of libcurl, which reads the same environment variables.
///
/// libcurl also bypasses the proxy for an IPv6 prefix in `no_proxy`. This rule does not support such prefixes and
/// reports that the proxy is used.
///
/// ```swift
/// let usesProxy = ProxyRule(explicit: nil).applies(scheme: "https", host: "example.org")
/// ```
public struct ProxyRule: Sendable {
    private let explicit: String?
    private let environment: [String: String]

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - explicit: The proxy of the executor's configuration. Takes precedence over the environment, but `no_proxy`
    ///     still applies.
    ///   - environment: The environment variables. Default the environment of this process.
    public init(explicit: String?, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.explicit = explicit
        self.environment = environment
    }

    /// Returns whether a request to `host` uses a proxy. `host` is in lowercase, in the form of a URL.
    public func applies(scheme: String, host: String) -> Bool { proxy(scheme: scheme, host: host) != nil }

    /// Returns the configured proxy for requests to `host`, or `nil` for a direct connection.
    package func proxy(scheme: String, host: String) -> String? {
        // HTTP_PROXY in uppercase is ignored, because a request's field sets that variable for a CGI program.
        let names = (scheme == "http" ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]) + ["all_proxy", "ALL_PROXY"]
        guard let proxy = explicit ?? value(names) else { return nil }
        let exceptions = value(["no_proxy", "NO_PROXY"]) ?? ""
        let name = host.trimmingCharacters(in: ["[", "]", "."])
        let isException = exceptions.lowercased().split(whereSeparator: { $0 == "," || $0.isWhitespace })
            .contains { Self.matches(String($0), host: name) }
        return isException ? nil : proxy
    }

    /// Returns the value of the first variable that is set and not empty.
    private func value(_ names: [String]) -> String? {
        names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }

    private static func matches(_ pattern: String, host: String) -> Bool {
        if pattern == "*" { return true }
        let bare = pattern.trimmingCharacters(in: ["[", "]", "."])
        guard !bare.isEmpty else { return false }
        if let address = IPv4(host) {
            let parts = bare.split(separator: "/", omittingEmptySubsequences: false)
            guard let network = parts.first.flatMap({ IPv4(String($0)) }) else { return false }
            guard parts.count == 2 else { return parts.count == 1 && network.bits == address.bits }
            guard let length = Int(parts[1]), (1...32).contains(length) else { return false }
            return (network.bits ^ address.bits) >> UInt32(32 - length) == 0
        }
        return host == bare || (!host.contains(":") && host.hasSuffix("." + bare))
    }
}

/// A dotted IPv4 address.
private struct IPv4 {
    let bits: UInt32

    init?(_ text: String) {
        var address = in_addr()
        guard inet_pton(AF_INET, text, &address) == 1 else { return nil }
        bits = UInt32(bigEndian: address.s_addr)
    }
}
