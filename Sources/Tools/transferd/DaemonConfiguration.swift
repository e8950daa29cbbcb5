// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import TOMLKit
import ToolSupport
import TransferPolicy
import URLSessionExecutor

/// The daemon's settings, as `config.toml` has them. Every key has a default; a key that is not known is refused.
struct DaemonConfiguration {
    /// Decides about discretionary work: `NAME[:key=value]…`, as `transferctl policies` lists them.
    var policy = "default"
    /// How many transfers run at once: all, of one server, of one app.
    var parallel = 4
    var parallelPerHost = 2
    var parallelPerApp = 4
    /// How many transfers of an app may wait or run at a time.
    var openPerApp = 10_000
    /// Bytes a second over all transfers; nil is no limit.
    var rateLimit: Int64?
    /// Whether transfers step back while other programs use the network.
    var yields = false
    /// What is logged.
    var logLevel = Logger.Level.info

    /// The defaults.
    init() {}

    /// Where the file lies when nobody names another: below `$XDG_CONFIG_HOME`, else `~/.config`.
    static func defaultPath() throws -> String {
        let folder = try Parts.overridesPath().split(separator: "/").dropLast().joined(separator: "/")
        return "/" + folder + "/config.toml"
    }

    /// Reads the file; one that is missing, where nobody named it, leaves all defaults.
    ///
    /// - Throws: `UsageError` that names the file, the line, the column, what was wrong and what would be right.
    init(path: String, isNamed: Bool) throws {
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
    init(_ text: String, path: String) throws {
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

    /// The names of the keys, in the order in which they are explained.
    static let keys = [
        "log-level", "open-per-app", "parallel", "parallel-per-app", "parallel-per-host", "policy", "rate-limit",
        "yield",
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
        case "rate-limit": rateLimit = Int64(try Self.number(key, value, in: 1...Int(Int32.max) * 1000))
        case "yield":
            guard let flag = value?.bool else { throw UsageError("\(key) must be true or false") }
            yields = flag
        case "log-level":
            let name = try Self.text(key, value)
            guard let level = Logger.Level(rawValue: name) else {
                let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("\(key) must be one of \(known), not '\(name)'")
            }
            logLevel = level
        default:
            throw UsageError("there is no key '\(key)'; known are \(Self.keys.joined(separator: ", "))")
        }
    }

    private static func text(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> String {
        guard let text = value?.string else { throw UsageError("\(key) must be text in quotes") }
        return text
    }

    private static func number(
        _ key: String, _ value: (any TOMLValueConvertible)?, in range: ClosedRange<Int>
    ) throws -> Int {
        guard let number = value?.int, range.contains(number) else {
            throw UsageError("\(key) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
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

    /// The bounds of the executor's speed.
    var limits: RateLimits { RateLimits(global: rateLimit, yieldsToForeground: yields) }
}
