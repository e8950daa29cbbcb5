// SPDX-License-Identifier: Apache-2.0

/// How fast an executor may be, beside what each transfer sets for itself (`TransferSpecification.rateLimit`).
///
/// All are bytes of bodies a second, received and sent together, and all of them hold: a transfer goes as fast as the
/// tightest allows, and shares what several have to share fairly. What one cannot use goes to the others. They hold
/// within 10 % over some seconds; below 128 bytes a second for each connection they do not.
///
/// With the repair of URLSession each connection is held by itself. Without it transfers wait for one another, so that
/// a fast one beside a slow one falls short of its limit.
public struct RateLimits: Hashable, Sendable, Codable {
    /// Of all transfers together; nil is no limit.
    public var global: Int64?
    /// Of all transfers of an app together, by `TransferTraits.app`; one that is not named has no limit.
    public var perApp: [String: Int64]
    /// Whether transfers step back while other programs use the network interfaces of this machine.
    ///
    /// Costs one read of the kernel's counters four times a second while transfers run.
    public var yieldsToForeground: Bool

    /// Limits; the default is none.
    public init(global: Int64? = nil, perApp: [String: Int64] = [:], yieldsToForeground: Bool = false) {
        self.global = global
        self.perApp = perApp
        self.yieldsToForeground = yieldsToForeground
    }

    /// An equal part for each of so many executors, at least a byte a second where there is a limit.
    public func divided(by count: Int) -> RateLimits {
        let count = Int64(max(1, count))
        return RateLimits(
            global: global.map { max(1, $0 / count) }, perApp: perApp.mapValues { max(1, $0 / count) },
            yieldsToForeground: yieldsToForeground)
    }
}

/// One of the bounds that several transfers may share.
package enum RateLimit: Hashable, Comparable, Sendable {
    case global
    case app(String)
    case transfer(Int64)
    /// Everything that is received, and everything that is sent: what yielding to the foreground leaves.
    case receiving
    case sending
}
