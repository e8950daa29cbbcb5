// SPDX-License-Identifier: Apache-2.0

/// The rate limits of an executor, in addition to the limit of each transfer (`TransferSpecification.rateLimit`).
///
/// Limits are in bytes of bodies per second, received and sent combined. All limits apply at the same time: the
/// strictest limit determines the rate of a transfer. Transfers that share a limit share it fairly. Capacity that a
/// transfer cannot use goes to the other transfers.
///
/// The limits are accurate to 10% over a few seconds, but not below 128 bytes per second for each connection.
///
/// With `CurlTransport`, each connection is limited separately. With `URLSessionTransport`, transfers wait for
/// one another. A fast transfer that runs with a slow transfer then stays below its limit.
///
/// ```swift
/// let limits = RateLimits(global: 1_000_000, perApp: ["org.example.App": 200_000])
/// ```
public struct RateLimits: Hashable, Sendable, Codable {
    /// The limit of all transfers combined, in bytes per second. `nil` means unlimited.
    public var global: Int64?
    /// The limit of all transfers of an app combined, in bytes per second, by `TransferTraits.app`. An app without an
    /// entry is unlimited.
    public var perApp: [String: Int64]
    /// A Boolean value that indicates whether transfers yield while other programs use this machine's network
    /// interfaces.
    ///
    /// Costs four reads of the kernel's counters per second while transfers run. Default `false`.
    public var yieldsToForeground: Bool

    /// Creates limits, in bytes per second. The default is no limit.
    public init(global: Int64? = nil, perApp: [String: Int64] = [:], yieldsToForeground: Bool = false) {
        self.global = global
        self.perApp = perApp
        self.yieldsToForeground = yieldsToForeground
    }

    /// Returns an equal share of each limit for each of `count` executors. Each share is at least 1 byte per second.
    public func divided(by count: Int) -> RateLimits {
        let count = Int64(max(1, count))
        return RateLimits(
            global: global.map { max(1, $0 / count) }, perApp: perApp.mapValues { max(1, $0 / count) },
            yieldsToForeground: yieldsToForeground)
    }
}

/// A limit that several transfers may share.
package enum RateLimit: Hashable, Comparable, Sendable {
    case global
    case app(String)
    case transfer(Int64)
    /// The limits of all received bytes and of all sent bytes. Set while transfers yield to other programs.
    case receiving
    case sending
}
