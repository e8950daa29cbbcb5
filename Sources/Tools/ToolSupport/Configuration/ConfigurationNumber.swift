// SPDX-License-Identifier: Apache-2.0
import TOMLKit

/// The reading of numbers in the daemon's configuration. The errors name the key, the value, and the permitted values.
enum ConfigurationNumber {
    static func number(
        _ key: String, _ value: (any TOMLValueConvertible)?, in range: ClosedRange<Int>
    ) throws -> Int {
        guard let number = value?.int, range.contains(number) else {
            throw UsageError(
                "\(key)\(DaemonConfiguration.shown(value)): must be a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    /// Returns a number of bytes: a whole number, or text with a unit as on the command line.
    static func bytes(
        _ key: String, _ value: (any TOMLValueConvertible)?, in range: ClosedRange<Int64>
    ) throws -> Int64 {
        guard let bytes = value?.int.map(Int64.init) ?? value?.string.flatMap({ ByteCount($0)?.bytes }),
            range.contains(bytes)
        else {
            throw UsageError(
                "\(key)\(DaemonConfiguration.shown(value)): must be from \(range.lowerBound) to \(range.upperBound) bytes: a whole number, or "
                    + "text such as \"64K\", \"1.5M\", or \"2G\"")
        }
        return bytes
    }

    /// Returns a number of seconds: a whole number, or a span of time as on the command line.
    static func seconds(
        _ key: String, _ value: (any TOMLValueConvertible)?, in range: ClosedRange<Int>
    ) throws -> Int {
        let span = value?.string.flatMap { DurationExpression($0)?.duration.components.seconds }.map(Int.init)
        guard let seconds = value?.int ?? span, range.contains(seconds) else {
            throw UsageError(
                "\(key)\(DaemonConfiguration.shown(value)): must be from \(range.lowerBound) to \(range.upperBound) seconds: a whole number, or "
                    + "text such as \"90s\", \"30m\", or \"2h\"")
        }
        return seconds
    }

    static func byteCounts(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> [String: Int64] {
        guard let table = value?.table else {
            throw UsageError(
                "\(key)\(DaemonConfiguration.shown(value)): must be a table from names to bytes, such as { \"Phone\" = \"2G\" }"
            )
        }
        let counts = try table.keys.map { name in
            (name, try bytes("\(key): '\(name)'", table[name], in: 0...1_000_000_000_000_000))
        }
        return Dictionary(uniqueKeysWithValues: counts)
    }
}
