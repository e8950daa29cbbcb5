// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab

/// The option that leaves out traces with large gaps.
struct CoverageOptions: ParsableArguments {
    @Option(
        name: .customLong("min-known"),
        help:
            "Leave out devices whose traces record power and network for less than this share of the time, such as 60%."
    )
    var minimum: Share?

    /// A share as an argument: `0.6` or `60%`.
    struct Share: ExpressibleByArgument, Equatable {
        /// The argument as the user gave it.
        let text: String
        /// The share, 0…1.
        let value: Double

        init?(argument: String) {
            let isPercent = argument.hasSuffix("%")
            guard let number = Double(isPercent ? String(argument.dropLast()) : argument) else { return nil }
            let share = isPercent ? number / 100 : number
            guard (0...1).contains(share) else { return nil }
            (text, value) = (argument, share)
        }
    }

    /// Whether a trace records enough of the time.
    func accepts(_ trace: Trace) -> Bool {
        guard let minimum else { return true }
        return Coverage.Device(span: trace.span, unknown: trace.unknownTime).knownShare >= minimum.value
    }

    /// Reports what was left out, and warns about the traces that remain.
    ///
    /// - Throws: A ``UsageError`` if no trace remains.
    func report(_ cases: [DeviceCase], of count: Int) throws {
        if let minimum, cases.count < count {
            let rest =
                "\(count - cases.count) of \(count) traces record power and network for less than \(minimum.text) of the time"
            guard !cases.isEmpty else { throw UsageError("--min-known: \(rest); no device remains") }
            Console.error("transferlab: left out: \(rest)")
        }
        let devices = cases.map { Coverage.Device(span: $0.trace.span, unknown: $0.trace.unknownTime) }
        if let warning = Coverage(devices)?.warning { Console.error("transferlab: warning: \(warning)") }
    }
}
