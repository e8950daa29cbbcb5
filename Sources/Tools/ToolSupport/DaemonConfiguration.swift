// SPDX-License-Identifier: Apache-2.0
import Foundation
package import Logging
import TOMLKit
package import TransferFiles
package import TransferPolicy

/// The settings of the daemon, read from `config.toml`. Every key has a default, and an unknown key is an error.
package struct DaemonConfiguration {
    /// The policy for discretionary work, as `NAME[:key=value]…`. `transferctl policies` lists the names.
    ///
    /// The default is `default`.
    package var policy = "default"
    /// The maximum number of transfers that run at the same time in total. 1 to 256; the default is 4.
    package var parallel = 4
    /// The maximum number of transfers that run at the same time for one server. 1 to 256; the default is 2.
    package var parallelPerHost = 2
    /// The maximum number of transfers that run at the same time for one app. 1 to 256; the default is 4.
    package var parallelPerApp = 4
    /// The maximum number of unfinished transfers of an app. The default is 10,000.
    package var openPerApp = 10_000
    /// The maximum number of bytes of files that belong to an app's background sessions. The default is 20 GB.
    ///
    /// The sum includes kept files of uploads, partial files, and finished files that the app has not moved away.
    package var filesPerApp: Int64 = 20_000_000_000
    /// The maximum rate of all transfers together, in bytes per second. `nil` means no limit.
    package var rateLimit: Int64?
    /// A Boolean value that indicates whether transfers slow down while other programs use the network. The default
    /// is `false`.
    package var yieldsToOtherTraffic = false
    /// A Boolean value that indicates whether desktop notifications report the ends of transfers that the user
    /// submitted. The default is `true`.
    package var notifies = true
    /// The delay of an app's background work after the app was first started for its transfers, in seconds.
    ///
    /// The default is 60. Each further start doubles the delay.
    package var relaunchDelay = 60
    /// The maximum delay of an app's background work, in seconds. The default is 21,600 (6 hours).
    package var relaunchDelayLimit = 21_600
    /// The limits of metered bytes per billing period, by the name of the connection.
    package var connectionBudgets: [String: Int64] = [:]
    /// The limits of metered bytes per billing period, by the name of the app.
    package var appBudgets: [String: Int64] = [:]
    /// The day of the month on which budgets are reset, 1 to 31. The default is 1.
    package var billingDay = 1
    /// The minimum level of log messages. The default is `info`.
    package var logLevel = Logger.Level.info

    /// Creates the default configuration.
    package init() {}

    /// Returns the default path of the file, below `$XDG_CONFIG_HOME` or `~/.config`.
    ///
    /// - Throws: `UsageError` if no environment variable specifies a folder for the file.
    package static func defaultPath() throws -> String {
        try AdapterFactory.configurationFolder() + "/config.toml"
    }

    /// Reads the file. A missing file leaves all defaults, unless the user specified the file.
    ///
    /// - Throws: `UsageError` that names the file, the line, the column, the error and its remedy.
    package init(path: String, isNamed: Bool) throws {
        self.init()
        guard let data = FileManager.default.contents(atPath: path) else {
            let exists = FileManager.default.fileExists(atPath: path)
            guard isNamed || exists else { return }
            throw UsageError("cannot read the configuration file \(path)\(Self.readError(of: path))")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw UsageError("the configuration file \(path) is not UTF-8 text")
        }
        self = try DaemonConfiguration(text, path: path)
    }

    /// Returns the reason why a file cannot be read, in parentheses.
    private static func readError(of path: String) -> String {
        access(path, R_OK) == 0 ? "" : " (\(String(cString: strerror(errno))))"
    }

    /// Parses the text of a file. `path` is used in error messages only.
    package init(_ text: String, path: String) throws {
        self.init()
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw UsageError("\(path):\(error.source.begin.line):\(error.source.begin.column): \(error.description)")
        }
        for key in table.keys {
            do {
                try setValue(key, table[key])
            } catch let error as UsageError {
                let position = Self.position(of: key, in: text)
                throw UsageError("\(path):\(position.line):\(position.column): \(error.description)")
            }
        }
    }

    /// A description of a key of the file, for users.
    package struct Key: Hashable, Sendable {
        /// The name of the key.
        package var name: String
        /// The default value, in the syntax of the file.
        package var defaultText: String
        /// The unit of the value, or an empty string.
        package var unit: String
        /// A description of the key and its permitted values.
        package var meaning: String

        /// The default value, or `nil` if there is no limit by default. The default text is then an example.
        package var defaultValue: String? { name == "rate-limit" ? nil : defaultText }

        /// The key as a commented-out line of the file, after a line with its meaning.
        package var lines: [String] {
            [
                "# \(meaning)" + (unit.isEmpty ? "" : " (\(unit))"),
                "#\(name) = \(defaultText)" + (defaultValue == nil ? "  # an example" : ""),
            ]
        }
    }

    /// All keys, sorted by name.
    package static let keys: [Key] = [
        Key(
            name: "app-budgets", defaultText: "{}", unit: "bytes per billing period, by app name",
            meaning:
                "The metered bytes that each app may use. Discretionary work waits once 80 % is used, other background work "
                + "once the budget is used up. Transfers of transferctl belong to the app \"person\"."),
        Key(
            name: "billing-day", defaultText: "1", unit: "day of the month, 1 to 31",
            meaning: "The day on which budgets are renewed. Shorter months use their last day."),
        Key(
            name: "connection-budgets", defaultText: "{}",
            unit: "bytes per billing period, by connection name",
            meaning: "The metered bytes that each connection may carry. The limits work as in app-budgets."),
        Key(
            name: "files-per-app", defaultText: "20000000000", unit: "bytes, 0 to 1000000000000000",
            meaning:
                "The disk space for an app's background sessions: partial files, finished files that the app has not moved "
                + "away, and kept files of uploads."),
        Key(
            name: "log-level", defaultText: "\"info\"", unit: "",
            meaning:
                "The minimum log level: trace, debug, info, notice, warning, error, or critical. Takes effect at the next start."
        ),
        Key(
            name: "notify", defaultText: "true", unit: "",
            meaning: "Whether to show a desktop notification when a transfer of transferctl ends."),
        Key(
            name: "open-per-app", defaultText: "10000", unit: "transfers, 1 to 10000000",
            meaning: "The maximum number of unfinished transfers of an app."),
        Key(
            name: "parallel", defaultText: "4", unit: "transfers, 1 to 256",
            meaning: "The maximum number of transfers that run at the same time. Takes effect at the next start."),
        Key(
            name: "parallel-per-app", defaultText: "4", unit: "transfers, 1 to 256",
            meaning:
                "The maximum number of transfers of one app that run at the same time. Takes effect at the next start."),
        Key(
            name: "parallel-per-host", defaultText: "2", unit: "transfers, 1 to 256",
            meaning:
                "The maximum number of transfers with one server that run at the same time. Takes effect at the next start."
        ),
        Key(
            name: "policy", defaultText: "\"default\"", unit: "",
            meaning: "The policy for discretionary work: NAME[:key=value]... 'transferctl policies' lists the policies."
        ),
        Key(
            name: "rate-limit", defaultText: "1000000",
            unit: "bytes per second, 1 to 2147483647000; no limit by default",
            meaning: "The maximum rate of all transfers together."),
        Key(
            name: "relaunch-delay", defaultText: "60", unit: "seconds, 0 to 86400",
            meaning:
                "How long an app's background work waits after the app's first relaunch. Each relaunch doubles the delay. Takes "
                + "effect at the next start."
        ),
        Key(
            name: "relaunch-delay-limit", defaultText: "21600", unit: "seconds, 0 to 604800",
            meaning: "The maximum of that delay. Takes effect at the next start."),
        Key(
            name: "yield", defaultText: "false", unit: "",
            meaning: "Whether transfers slow down while other programs use the network."),
    ]

    private mutating func setValue(_ key: String, _ value: (any TOMLValueConvertible)?) throws {
        switch key {
        case "policy":
            let name = try Self.text(key, value)
            do { _ = try PolicyCatalog.policy(named: name) } catch { throw UsageError("\(key): \(error)") }
            policy = name
        case "parallel": parallel = try Self.number(key, value, in: 1...256)
        case "parallel-per-host": parallelPerHost = try Self.number(key, value, in: 1...256)
        case "parallel-per-app": parallelPerApp = try Self.number(key, value, in: 1...256)
        case "open-per-app": openPerApp = try Self.number(key, value, in: 1...10_000_000)
        case "files-per-app": filesPerApp = Int64(try Self.number(key, value, in: 0...1_000_000_000_000_000))
        case "rate-limit": rateLimit = Int64(try Self.number(key, value, in: 1...Int(Int32.max) * 1000))
        case "yield": yieldsToOtherTraffic = try Self.flag(key, value)
        case "notify": notifies = try Self.flag(key, value)
        case "app-budgets": appBudgets = try Self.byteCounts(key, value)
        case "connection-budgets": connectionBudgets = try Self.byteCounts(key, value)
        case "billing-day": billingDay = try Self.number(key, value, in: 1...31)
        case "relaunch-delay": relaunchDelay = try Self.number(key, value, in: 0...86_400)
        case "relaunch-delay-limit": relaunchDelayLimit = try Self.number(key, value, in: 0...604_800)
        case "log-level":
            let name = try Self.text(key, value)
            guard let level = Logger.Level(rawValue: name) else {
                let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("\(key)\(Self.shown(value)): must be one of \(known)")
            }
            logLevel = level
        default:
            throw UsageError("unknown key '\(key)'; use one of \(Self.keys.map(\.name).joined(separator: ", "))")
        }
    }

    /// Returns a rejected value as ` = VALUE`, in the syntax of the file. Empty for an array, a table, and a date.
    private static func shown(_ value: (any TOMLValueConvertible)?) -> String {
        if let number = value?.int { return " = \(number)" }
        if let text = value?.string { return " = \"\(text)\"" }
        if let flag = value?.bool { return " = \(flag)" }
        return ""
    }

    private static func text(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> String {
        guard let text = value?.string else { throw UsageError("\(key)\(shown(value)): must be a string in quotes") }
        return text
    }

    private static func flag(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> Bool {
        guard let flag = value?.bool else { throw UsageError("\(key)\(shown(value)): must be true or false") }
        return flag
    }

    private static func number(
        _ key: String, _ value: (any TOMLValueConvertible)?, in range: ClosedRange<Int>
    ) throws -> Int {
        guard let number = value?.int, range.contains(number) else {
            throw UsageError(
                "\(key)\(shown(value)): must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func byteCounts(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> [String: Int64] {
        guard let table = value?.table else {
            throw UsageError(
                "\(key)\(shown(value)): must be a table from names to bytes, such as { \"Phone\" = 2000000000 }")
        }
        let counts = try table.keys.map { name in
            (name, Int64(try number("\(key): '\(name)'", table[name], in: 0...1_000_000_000_000_000)))
        }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    /// Returns the position of a top-level key. The TOML library reports the positions of syntax errors only.
    private static func position(of key: String, in text: String) -> (line: Int, column: Int) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let start = line.drop { $0 == " " || $0 == "\t" || $0 == "\"" || $0 == "[" }
            guard start.hasPrefix(key) else { continue }
            let rest = start.dropFirst(key.count).drop { $0 == " " || $0 == "\t" || $0 == "\"" }
            guard let next = rest.first, "=.]".contains(next) else { continue }
            return (index + 1, line.distance(from: line.startIndex, to: start.startIndex) + 1)
        }
        return (1, 1)
    }

    /// The budgets of metered bytes.
    package var budgetLimits: ByteBudgetLimits {
        // The numbers were already checked key by key.
        (try? ByteBudgetLimits(connections: connectionBudgets, apps: appBudgets, billingDay: billingDay))
            ?? ByteBudgetLimits()
    }

    /// The limits of the executor's rate.
    package var limits: RateLimits { RateLimits(global: rateLimit, yieldsToForeground: yieldsToOtherTraffic) }
}
