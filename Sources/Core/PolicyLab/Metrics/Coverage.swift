// SPDX-License-Identifier: Apache-2.0

/// The share of time for which traces record power and network.
///
/// Nothing moves in unrecorded time. A study of traces with large gaps therefore reports every policy as late, and the
/// optimum too.
///
/// ```swift
/// let coverage = Coverage(cases.map { Coverage.Device(span: $0.trace.span, unknown: $0.trace.unknownTime) })
/// if let warning = coverage?.warning { print(warning) }
/// ```
public struct Coverage: Hashable, Sendable {
    /// The lengths of a device's trace.
    public struct Device: Hashable, Sendable {
        /// The length of the trace, in seconds.
        public var span: Double
        /// The time in which power or network is unknown, in seconds.
        public var unknown: Double

        /// Creates the lengths of a trace.
        public init(span: Double, unknown: Double) {
            self.span = span
            self.unknown = unknown
        }

        /// The share of known time, 0…1.
        public var knownShare: Double { span > 0 ? 1 - unknown / span : 0 }

        /// A Boolean value that indicates whether the trace records too little of the time.
        var isInsufficient: Bool { knownShare < Coverage.sufficientShare }
    }

    /// The share of known time below which a device causes a warning.
    public static let sufficientShare = 0.6

    /// The share of known time of all devices together, 0…1.
    public let knownShare: Double
    private let devices: Int
    private let insufficient: Int

    /// Creates the coverage of devices. Returns `nil` if there is no recorded time at all.
    public init?(_ devices: [Device]) {
        self.init(
            span: devices.reduce(0) { $0 + $1.span }, unknown: devices.reduce(0) { $0 + $1.unknown },
            devices: devices.count, insufficient: devices.count { $0.isInsufficient })
    }

    /// Creates the coverage of devices from its sums. Returns `nil` if there is no recorded time at all.
    init?(span: Double, unknown: Double, devices: Int, insufficient: Int) {
        guard span > 0 else { return nil }
        knownShare = 1 - unknown / span
        (self.devices, self.insufficient) = (devices, insufficient)
    }

    /// A warning in two sentences if traces cover too little of the time; otherwise `nil`.
    public var warning: String? {
        guard insufficient > 0 else { return nil }
        let least = Decimal.text(Self.sufficientShare * 100, digits: 0)
        let which =
            devices == 1
            ? "The trace records" : "\(insufficient) of \(devices) traces record"
        let total = devices == 1 ? "" : ", and all traces together for \(Decimal.text(knownShare * 100, digits: 0)) %"
        let share = devices == 1 ? "only \(Decimal.text(knownShare * 100, digits: 0)) %" : "less than \(least) %"
        return
            "\(which) power and network for \(share) of the time\(total). Nothing moves in the rest, so every policy is "
            + "late, the optimum too. --min-known \(least)% leaves such traces out."
    }
}

extension Summary {
    /// The share of time in which power and network were known, 0…1; `nil` if there is no recorded time.
    public var knownShare: Double? { span > 0 ? 1 - unknownTime / span : nil }
}
