// SPDX-License-Identifier: Apache-2.0
import Foundation
package import LinuxConditions
package import Logging
import TOMLKit
package import TransferModel
import TransferPolicy

/// The settings of the daemon, read from `config.toml`. Every key has a default, and an unknown key is an error.
package struct DaemonConfiguration {
    /// The policy for discretionary work, as `NAME[:key=value]…`. `transferctl config policies` lists the names.
    ///
    /// The default is `default`, which another ``patience`` than the default replaces with the policy of its name.
    package var policy = "default"
    /// The patience for transfers that do not state their own. The default is `balanced`.
    package var patience = Patience.balanced
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
    /// The rates that replace ``rateLimit`` in windows of the local week. Of several open windows, the lowest rate applies.
    package var rateWindows: [RateWindow] = []
    /// The window of transfers that state none. `nil` (the default) means any time.
    package var window: WindowConstraint?
    /// A Boolean value that indicates whether transfers slow down while other programs use the network. The default
    /// is `false`.
    package var yieldsToOtherTraffic = false
    /// A Boolean value that indicates whether public servers may redirect to this machine or its network. The default is
    /// `false`.
    package var allowsLocalRedirects = false
    /// A Boolean value that indicates whether desktop notifications report the ends of transfers that the user
    /// submitted. The default is `true`.
    package var notifies = true
    /// A Boolean value that indicates whether the machine stays awake while transfers run on AC power.
    package var staysAwake = false
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
    /// The source of energy prices. `nil` (the default) means that no price is known.
    package var prices: PriceSource?
    /// The conditions of the user, sorted by name. There are none by default.
    package var conditions: [CustomConditionSource] = []
    /// The server for aria2's JSON-RPC. `nil` (the default) means that it is not offered.
    package var rpc: RPCSettings?
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
    /// - Throws: `UsageError` with a line for each error, in the file's order. A line names the file, the line, the column,
    ///   the error and its remedy.
    package init(path: String, isNamed: Bool) throws {
        self.init()
        guard let data = FileManager.default.contents(atPath: path) else {
            let exists = FileManager.default.fileExists(atPath: path)
            guard isNamed || exists else { return }
            let reason = access(path, R_OK) == 0 ? "" : " (\(String(cString: strerror(errno))))"
            throw UsageError("cannot read the configuration file \(path)\(reason)")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw UsageError("the configuration file \(path) is not UTF-8 text")
        }
        self = try DaemonConfiguration(text, path: path)
    }

    /// Parses the text of a file. `path` is used in error messages only.
    package init(_ text: String, path: String) throws {
        self.init()
        let table = try Self.table(text, path: path)
        var faults: [(line: Int, column: Int, text: String)] = []
        for key in table.keys {
            do {
                try setValue(key, table[key])
            } catch let error as UsageError {
                let isKnown = Self.keys.contains { $0.name == key }
                let (line, column) = Self.position(of: key, in: text, orValue: isKnown)
                faults.append((line, column, error.description))
            }
        }
        if patience != .balanced {
            if policy == "default" {
                // A policy of the same name exists for each patience.
                policy = patience.rawValue
            } else {
                let (line, column) = Self.position(of: "patience", in: text, orValue: false)
                faults.append((line, column, "patience applies to the policy 'default' only; remove one"))
            }
        }
        guard !faults.isEmpty else { return }
        let lines = faults.sorted { ($0.line, $0.column) < ($1.line, $1.column) }.map {
            "\(path):\($0.line):\($0.column): \($0.text)"
        }
        throw UsageError(lines.joined(separator: "\n"))
    }

    private mutating func setValue(_ key: String, _ value: (any TOMLValueConvertible)?) throws {
        switch key {
        case "policy":
            let name = try Self.text(key, value)
            do { _ = try PolicyCatalog.policy(named: name) } catch {
                let known = PolicyCatalog.entries.map(\.name)
                let typed = String(name.prefix { $0 != ":" })
                throw UsageError(
                    "\(key): \(error)" + (known.contains(typed) ? "" : Suggestion.text(for: typed, in: known)))
            }
            policy = name
        case "patience":
            guard let choice = Patience(rawValue: try Self.text(key, value)) else {
                let known = Patience.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("\(key)\(Self.shown(value)): must be one of \(known)")
            }
            patience = choice
        case "parallel": parallel = try ConfigurationNumber.number(key, value, in: 1...256)
        case "parallel-per-host": parallelPerHost = try ConfigurationNumber.number(key, value, in: 1...256)
        case "parallel-per-app": parallelPerApp = try ConfigurationNumber.number(key, value, in: 1...256)
        case "open-per-app": openPerApp = try ConfigurationNumber.number(key, value, in: 1...10_000_000)
        case "files-per-app": filesPerApp = try ConfigurationNumber.bytes(key, value, in: 0...1_000_000_000_000_000)
        case "rate-limit": rateLimit = try ConfigurationNumber.bytes(key, value, in: 1...Int64(Int32.max) * 1000)
        case "rate-windows":
            rateWindows = try ConfigurationNumber.byteCounts(key, value).sorted { $0.key < $1.key }.map { text, rate in
                do { return RateWindow(window: try WindowExpression(text).constraint, rate: max(1, rate)) } catch {
                    throw UsageError("\(key): \(error)")
                }
            }
        case "window":
            let text = try Self.text(key, value)
            do { window = try WindowExpression(text).constraint } catch { throw UsageError("\(key): \(error)") }
        case "yield": yieldsToOtherTraffic = try Self.flag(key, value)
        case "allow-local-redirects": allowsLocalRedirects = try Self.flag(key, value)
        case "notify": notifies = try Self.flag(key, value)
        case "stay-awake": staysAwake = try Self.flag(key, value)
        case "app-budgets": appBudgets = try ConfigurationNumber.byteCounts(key, value)
        case "connection-budgets": connectionBudgets = try ConfigurationNumber.byteCounts(key, value)
        case "billing-day": billingDay = try ConfigurationNumber.number(key, value, in: 1...31)
        case "relaunch-delay": relaunchDelay = try ConfigurationNumber.seconds(key, value, in: 0...86_400)
        case "relaunch-delay-limit": relaunchDelayLimit = try ConfigurationNumber.seconds(key, value, in: 0...604_800)
        case "price": prices = try PriceSettings.source(key, value)
        case "condition": conditions = try OwnConditions.parsed(key, value)
        case "rpc": rpc = try Self.rpcSettings(key, value)
        case "log-level":
            let name = try Self.text(key, value)
            guard let level = Logger.Level(rawValue: name) else {
                let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("\(key)\(Self.shown(value)): must be one of \(known)")
            }
            logLevel = level
        default:
            throw UsageError(Suggestion.unknownKey(key, known: Self.keys.map(\.name)))
        }
    }

    /// Returns a rejected value as ` = VALUE`, in the syntax of the file. Empty for an array, a table, and a date.
    static func shown(_ value: (any TOMLValueConvertible)?) -> String {
        if let number = value?.int { return " = \(number)" }
        if let text = value?.string { return " = \"\(text)\"" }
        if let flag = value?.bool { return " = \(flag)" }
        return ""
    }

    static func text(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> String {
        guard let text = value?.string else { throw UsageError("\(key)\(shown(value)): must be a string in quotes") }
        return text
    }

    static func flag(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> Bool {
        guard let flag = value?.bool else { throw UsageError("\(key)\(shown(value)): must be true or false") }
        return flag
    }
}

extension DaemonConfiguration {
    /// Parses the text of a file. `path` is used in error messages only.
    static func table(_ text: String, path: String) throws -> TOMLTable {
        do { return try TOMLTable(string: text) } catch let error as TOMLParseError {
            throw UsageError("\(path):\(error.source.begin.line):\(error.source.begin.column): \(error.description)")
        }
    }

    /// Returns the position of a top-level key or of its value on the same line. The TOML library reports the positions of
    /// syntax errors only.
    static func position(of key: String, in text: String, orValue isValue: Bool) -> (line: Int, column: Int) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let start = line.drop { $0 == " " || $0 == "\t" || $0 == "\"" || $0 == "[" }
            guard start.hasPrefix(key) else { continue }
            let rest = start.dropFirst(key.count).drop { $0 == " " || $0 == "\t" || $0 == "\"" }
            guard let next = rest.first, "=.]".contains(next) else { continue }
            let value = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let place = isValue && next == "=" && !value.isEmpty ? value.startIndex : start.startIndex
            return (index + 1, line.distance(from: line.startIndex, to: place) + 1)
        }
        return (1, 1)
    }
}
