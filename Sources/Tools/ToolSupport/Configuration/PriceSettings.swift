// SPDX-License-Identifier: Apache-2.0
import Foundation
package import LinuxConditions
import TOMLKit

/// The source of energy prices in the file of the daemon's settings: the table `[price]`.
package enum PriceSettings {
    /// Returns the source of prices that the table `[price]` states: `file` or `command`. An empty table states none.
    ///
    /// - Throws: `UsageError` that names the key, the error and its remedy.
    static func source(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> PriceSource? {
        guard let table = value?.table else {
            throw UsageError("\(key)\(DaemonConfiguration.shown(value)): must be a table with 'file' or 'command'")
        }
        let known = ["file", "command"]
        if let other = table.keys.first(where: { !known.contains($0) }) {
            throw UsageError("\(key): " + Suggestion.unknownKey(other, known: known))
        }
        switch (table["file"], table["command"]) {
        case (nil, nil): return nil
        case (let file?, nil):
            return .file(try absolutePath("\(key): file", file))
        case (nil, let command?): return .command(try words("\(key): command", command))
        case (_?, _?): throw UsageError("\(key): file and command exclude each other; remove one")
        }
    }

    /// Returns an absolute path, in which ~ stands for the home folder.
    static func absolutePath(_ key: String, _ value: any TOMLValueConvertible) throws -> String {
        let path = NSString(string: try DaemonConfiguration.text(key, value)).expandingTildeInPath
        guard path.hasPrefix("/") else {
            throw UsageError("\(key)\(DaemonConfiguration.shown(value)): must be an absolute path, or begin with ~/")
        }
        return path
    }

    /// Returns the words of a command.
    static func words(_ key: String, _ value: any TOMLValueConvertible) throws -> [String] {
        guard let array = value.array, !array.isEmpty else {
            throw UsageError(
                "\(key)\(DaemonConfiguration.shown(value)): must be a list of a program and its arguments, such as "
                    + "[\"/usr/local/bin/prices\", \"--today\"]")
        }
        return try array.map { try DaemonConfiguration.text(key, $0) }
    }

    /// Returns the source of prices in the user's file, for commands that read the machine's conditions themselves.
    /// Without a folder for the file, there is none.
    ///
    /// - Throws: `UsageError` if the file is invalid.
    package static func defined() throws -> PriceSource? {
        guard let path = try? DaemonConfiguration.defaultPath() else { return nil }
        return try DaemonConfiguration(path: path, isNamed: false).prices
    }

    /// The error for a condition on prices without a source of prices.
    package static func missing(for option: String) -> UsageError {
        UsageError(
            "\(option) requires prices: set 'file' or 'command' in [price] of "
                + ((try? DaemonConfiguration.defaultPath()) ?? "config.toml"))
    }
}
