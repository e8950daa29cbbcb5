// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport

/// The file with default options of `transferctl get`: `$XDG_CONFIG_HOME/transferd/get.toml`.
enum GetDefaults {
    /// The permitted keys. Options that weaken the security of a single transfer, or that contain secrets, are not
    /// among them.
    static let kinds: [String: OptionsFile.Kind] = [
        "directory": .path, "overwrite": .flag, "no-clobber": .flag, "rename": .flag, "remote-name": .flag,
        "remote-time": .flag, "allow-html": .flag, "discretionary": .flag, "policy": .value, "patience": .value,
        "when": .value, "window": .value, "parallel": .value, "priority": .value, "metered": .value, "header": .values,
        "user-agent": .value,
        "referer": .value, "cookies": .path, "proxy": .value, "ca-file": .path, "netrc": .flag, "limit-rate": .value,
        "limit-rate-each": .value, "yield": .flag, "connections": .value, "retries": .value, "timeout": .value,
        "on-complete": .value, "state-dir": .path, "quiet": .flag, "verbose": .flag,
        "user": .single, "insecure": .single, "by": .single, "not-before": .single,
    ]

    /// The options that exclude others. A key is ignored if the command line has one of them.
    private static let alternatives: [Set<String>] = [
        ["overwrite", "no-clobber", "rename", "set"], ["netrc", "user"], ["discretionary", "policy"],
        ["quiet", "verbose", "json"],
        ["remote-name", "output", "o", "set"], ["directory", "output", "o", "set"],
    ]

    /// Returns the command line with the options of the file, and the file's path if the file has any.
    ///
    /// The file's options precede those of the command line, which win.
    ///
    /// - Parameter arguments: The command line without the program.
    /// - Throws: `UsageError` that names the file, the line, and the error.
    static func apply(to arguments: [String]) throws -> (arguments: [String], path: String?) {
        guard arguments.first == "get", !arguments.contains(where: { ["--no-config", "--help", "-h"].contains($0) }),
            let folder = try? AdapterFactory.configurationFolder()
        else { return (arguments, nil) }
        let path = folder + "/get.toml"
        guard FileManager.default.fileExists(atPath: path) else { return (arguments, nil) }
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
        else {
            throw UsageError("cannot read \(path) as UTF-8 text; --no-config ignores the file")
        }
        let words = try words(text, path: path, for: arguments)
        return (["get"] + words + arguments.dropFirst(), words.isEmpty ? nil : path)
    }

    /// Returns the words of a file's options that the command line does not exclude.
    static func words(_ text: String, path: String, for arguments: [String]) throws -> [String] {
        let given = Set(arguments.prefix { $0 != "--" }.compactMap(optionName))
        return try OptionsFile(text, path: path, kinds: kinds).words.flatMap { key, words -> [String] in
            let excluded = alternatives.contains { $0.contains(key) && !$0.subtracting([key]).isDisjoint(with: given) }
            return excluded ? [] : words
        }
    }

    /// Returns the name of an option without hyphens and value, or `nil` for another word.
    private static func optionName(_ word: String) -> String? {
        if word.hasPrefix("--") { return String(word.dropFirst(2).prefix { $0 != "=" }) }
        guard word.hasPrefix("-"), word.count > 1 else { return nil }
        return ["q": "quiet", "v": "verbose", "u": "user", "O": "remote-name"][String(word.dropFirst().prefix(1))]
            ?? String(word.dropFirst().prefix(1))
    }
}
