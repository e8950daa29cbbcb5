// SPDX-License-Identifier: Apache-2.0
import Foundation
package import Logging
import TOMLKit
package import TransferFiles
package import TransferPolicy

/// The daemon's settings, as `config.toml` has them. Every key has a default; a key that is not known is refused.
package struct DaemonConfiguration {
    /// Decides about discretionary work: `NAME[:key=value]…`, as `transferctl policies` lists them.
    package var policy = "default"
    /// How many transfers run at once: all, of one server, of one app.
    package var parallel = 4
    package var parallelPerHost = 2
    package var parallelPerApp = 4
    /// How many transfers of an app may wait or run at a time.
    package var openPerApp = 10_000
    /// The most bytes of files of background sessions that an app may have: kept files of uploads, partial files, and
    /// finished files that it has not taken.
    package var filesPerApp: Int64 = 20_000_000_000
    /// Bytes a second over all transfers; nil is no limit.
    package var rateLimit: Int64?
    /// Whether transfers step back while other programs use the network.
    package var yields = false
    /// Whether the desktop tells of the ends of transfers that a person handed over.
    package var notifies = true
    /// How long an app's background work waits after the app was started for its transfers: seconds, the first time and at
    /// most.
    package var relaunchDelay = 60
    package var longestRelaunchDelay = 21_600
    /// Metered bytes from one billing day to the next, by the connection's name and by the app.
    package var connectionBudgets: [String: Int64] = [:]
    package var appBudgets: [String: Int64] = [:]
    /// The day of the month on which budgets begin anew.
    package var billingDay = 1
    /// What is logged.
    package var logLevel = Logger.Level.info

    /// The defaults.
    package init() {}

    /// Where the file lies when nobody names another: below `$XDG_CONFIG_HOME`, else `~/.config`.
    ///
    /// - Throws: `UsageError` where the environment names no folder for it.
    package static func defaultPath() throws -> String {
        try Parts.configurationFolder() + "/config.toml"
    }

    /// Reads the file; one that is missing, where nobody named it, leaves all defaults.
    ///
    /// - Throws: `UsageError` that names the file, the line, the column, what was wrong and what would be right.
    package init(path: String, isNamed: Bool) throws {
        self.init()
        guard let data = FileManager.default.contents(atPath: path) else {
            let isThere = FileManager.default.fileExists(atPath: path)
            guard isNamed || isThere else { return }
            throw UsageError("the configuration \(path) cannot be read")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw UsageError("the configuration \(path) is not UTF-8 text")
        }
        self = try DaemonConfiguration(text, path: path)
    }

    /// Reads the text of a file.
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
                try take(key, table[key])
            } catch let error as UsageError {
                let place = Self.place(of: key, in: text)
                throw UsageError("\(path):\(place.line):\(place.column): \(error.description)")
            }
        }
    }

    /// A key of the file, for people.
    package struct Key: Hashable, Sendable {
        /// Its name.
        package var name: String
        /// Its value where the file does not name it, as the file would have it.
        package var defaultText: String
        /// The unit; empty where there is none.
        package var unit: String
        /// What it does, and what it may be.
        package var meaning: String

        /// The key as a line of the file that does nothing, with its meaning before it.
        package var lines: [String] {
            ["# \(meaning)" + (unit.isEmpty ? "" : " (\(unit))"), "#\(name) = \(defaultText)"]
        }
    }

    /// The keys, by name.
    package static let keys: [Key] = [
        Key(
            name: "app-budgets", defaultText: "{}", unit: "bytes from one billing day to the next, by the app's name",
            meaning:
                "Metered bytes that apps may use: discretionary work waits from 80 % on, other background work when all is "
                + "used. Your own transfers are the app \"person\"'s."),
        Key(
            name: "billing-day", defaultText: "1", unit: "day of the month, 1 to 31",
            meaning: "When budgets begin anew; in a shorter month on its last day."),
        Key(
            name: "connection-budgets", defaultText: "{}",
            unit: "bytes from one billing day to the next, by the connection's name",
            meaning: "Metered bytes that may go over connections, as app-budgets has them of apps."),
        Key(
            name: "files-per-app", defaultText: "20000000000", unit: "bytes",
            meaning:
                "How much of the disk an app's background sessions may take: partial files, finished ones that it has not "
                + "taken, and kept files of uploads."),
        Key(
            name: "log-level", defaultText: "\"info\"", unit: "",
            meaning: "What is logged: trace, debug, info, notice, warning, error or critical. From the next start on."),
        Key(
            name: "notify", defaultText: "true", unit: "",
            meaning: "Whether the desktop tells of the ends of transfers that you handed over by the command line."),
        Key(
            name: "open-per-app", defaultText: "10000", unit: "transfers",
            meaning: "How many transfers of an app may be open, that is not over, at a time."),
        Key(
            name: "parallel", defaultText: "4", unit: "transfers, 1 to 256",
            meaning: "How many run at once. From the next start on."),
        Key(
            name: "parallel-per-app", defaultText: "4", unit: "transfers, 1 to 256",
            meaning: "How many of one app run at once. From the next start on."),
        Key(
            name: "parallel-per-host", defaultText: "2", unit: "transfers, 1 to 256",
            meaning: "How many to or from one server run at once. From the next start on."),
        Key(
            name: "policy", defaultText: "\"default\"", unit: "",
            meaning: "Decides when discretionary work runs: NAME[:key=value]... as 'transferctl policies' lists them."),
        Key(
            name: "rate-limit", defaultText: "1000000", unit: "bytes a second; no limit where it is not given",
            meaning: "Bounds all transfers together."),
        Key(
            name: "relaunch-delay", defaultText: "60", unit: "seconds, 0 to 86400",
            meaning:
                "How long an app's background work waits after its first start; each doubles it. From the next start on."
        ),
        Key(
            name: "relaunch-delay-limit", defaultText: "21600", unit: "seconds, 0 to 604800",
            meaning: "The longest that it waits. From the next start on."),
        Key(
            name: "yield", defaultText: "false", unit: "",
            meaning: "Whether transfers step back while other programs use the network."),
    ]

    private mutating func take(_ key: String, _ value: (any TOMLValueConvertible)?) throws {
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
        case "yield": yields = try Self.flag(key, value)
        case "notify": notifies = try Self.flag(key, value)
        case "app-budgets": appBudgets = try Self.byteCounts(key, value)
        case "connection-budgets": connectionBudgets = try Self.byteCounts(key, value)
        case "billing-day": billingDay = try Self.number(key, value, in: 1...31)
        case "relaunch-delay": relaunchDelay = try Self.number(key, value, in: 0...86_400)
        case "relaunch-delay-limit": longestRelaunchDelay = try Self.number(key, value, in: 0...604_800)
        case "log-level":
            let name = try Self.text(key, value)
            guard let level = Logger.Level(rawValue: name) else {
                let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("\(key) must be one of \(known), not '\(name)'")
            }
            logLevel = level
        default:
            throw UsageError("there is no key '\(key)'; known are \(Self.keys.map(\.name).joined(separator: ", "))")
        }
    }

    private static func text(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> String {
        guard let text = value?.string else { throw UsageError("\(key) must be text in quotes") }
        return text
    }

    private static func flag(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> Bool {
        guard let flag = value?.bool else { throw UsageError("\(key) must be true or false") }
        return flag
    }

    private static func number(
        _ key: String, _ value: (any TOMLValueConvertible)?, in range: ClosedRange<Int>
    ) throws -> Int {
        guard let number = value?.int, range.contains(number) else {
            throw UsageError("\(key) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func byteCounts(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> [String: Int64] {
        guard let table = value?.table else {
            throw UsageError("\(key) must be a table of bytes by name, as { \"Phone\" = 2000000000 }")
        }
        let counts = try table.keys.map { name in
            (name, Int64(try number("\(key): '\(name)'", table[name], in: 0...1_000_000_000_000_000)))
        }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    /// Where a key of the top level stands: the library keeps the places of syntax errors only.
    private static func place(of key: String, in text: String) -> (line: Int, column: Int) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let start = line.drop { $0 == " " || $0 == "\t" || $0 == "\"" || $0 == "[" }
            guard start.hasPrefix(key) else { continue }
            let rest = start.dropFirst(key.count).drop { $0 == " " || $0 == "\t" || $0 == "\"" }
            guard let next = rest.first, "=.]".contains(next) else { continue }
            return (index + 1, line.distance(from: line.startIndex, to: start.startIndex) + 1)
        }
        return (1, 1)
    }

    /// The limits of metered bytes.
    package var budgetLimits: ByteBudgetLimits {
        // The numbers were checked key by key.
        (try? ByteBudgetLimits(connections: connectionBudgets, apps: appBudgets, billingDay: billingDay))
            ?? ByteBudgetLimits()
    }

    /// The bounds of the executor's speed.
    package var limits: RateLimits { RateLimits(global: rateLimit, yieldsToForeground: yields) }
}
