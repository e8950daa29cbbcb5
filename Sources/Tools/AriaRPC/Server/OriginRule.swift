// SPDX-License-Identifier: Apache-2.0

/// Decides which web pages may reach the server, before the server looks at a request.
///
/// A browser sends requests of every page to this machine. `Host` reveals a page whose name was made to resolve to this
/// machine (DNS rebinding), and `Origin` reveals every other page. Programs send no origin.
struct OriginRule: Hashable, Sendable {
    private let origins: Set<String>
    private let hosts: Set<String>

    /// Creates a rule for a server on a port of this machine.
    init(origins: [String], port: Int) {
        // The server has no pages, so its own origin is that of programs. Some send it.
        let own = ["localhost", "127.0.0.1", "[::1]"].map { "http://\($0):\(port)" }
        self.origins = Set(origins.map { $0.lowercased() } + own)
        hosts = Set(["localhost", "127.0.0.1", "[::1]"].flatMap { [$0, "\($0):\(port)"] })
    }

    /// The header fields of a request that reveal its origin.
    struct Request: Hashable, Sendable {
        var host: String?
        var origin: String?
        /// The field `Sec-Fetch-Site`, which browsers also send with requests that have no origin.
        var fetchSite: String?
    }

    /// Returns why a request is refused, or `nil` if it is not.
    func fault(of request: Request) -> String? {
        guard let host = request.host?.lowercased(), hosts.contains(host) else {
            return "the Host '\((request.host ?? "").prefix(100))' is not this machine; use localhost"
        }
        if let origin = request.origin {
            guard origins.contains(origin.lowercased()) else {
                return "the origin '\(origin.prefix(100))' is not listed in 'origins' of [rpc] in config.toml"
            }
        } else if let site = request.fetchSite, !["none", "same-origin"].contains(site) {
            return "a web page without an origin may not call"
        }
        return nil
    }
}
