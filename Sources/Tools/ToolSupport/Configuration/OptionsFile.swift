// SPDX-License-Identifier: Apache-2.0
import Foundation
import TOMLKit

/// A file with default values for the options of a command, in TOML. Each key is the name of an option.
///
/// ```toml
/// directory = "~/Downloads"
/// connections = 4
/// header = ["Accept-Language: en"]
/// ```
package struct OptionsFile {
    /// The kind of an option's value.
    package enum Kind: Hashable, Sendable {
        /// The option is present or absent: `true` or `false`.
        case flag
        /// The option has a value: a string, or a whole number.
        case value
        /// The option may be repeated: a string, or an array of strings.
        case values
        /// The option's value is a path. A leading `~/` is replaced by the home folder.
        case path
        /// The option applies to a single transfer, and must not be in a file.
        case single
    }

    /// The words of the command line that each key stands for, in the order of the file's keys.
    package private(set) var words: [(key: String, words: [String])] = []

    /// Parses the text of a file.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - path: The path of the file, for error messages.
    ///   - kinds: The permitted keys and their kinds.
    /// - Throws: `UsageError` that names the file, the line, the error, and its remedy.
    package init(_ text: String, path: String, kinds: [String: Kind]) throws {
        let table = try DaemonConfiguration.table(text, path: path)
        for key in table.keys {
            do {
                guard let kind = kinds[key] else {
                    let known = kinds.filter { $0.value != .single }.keys.sorted()
                    throw UsageError(Suggestion.unknownKey(key, known: known))
                }
                words.append((key, try Self.words(key, table[key], kind)))
            } catch let error as UsageError {
                throw UsageError(
                    "\(path):\(DaemonConfiguration.position(of: key, in: text, orValue: false).line): \(error)")
            }
        }
    }

    private static func words(_ key: String, _ value: (any TOMLValueConvertible)?, _ kind: Kind) throws -> [String] {
        switch kind {
        case .single:
            throw UsageError("'\(key)' applies to a single transfer only; use the option --\(key)")
        case .flag:
            guard let flag = value?.bool else { throw UsageError("\(key): must be true or false") }
            return flag ? ["--\(key)"] : []
        case .value:
            guard let text = value?.string ?? value?.int.map(String.init) else {
                throw UsageError("\(key): must be a string in quotes, or a whole number")
            }
            return ["--\(key)=\(text)"]
        case .path:
            guard let text = value?.string else { throw UsageError("\(key): must be a path in quotes") }
            return ["--\(key)=\(try expanded(text))"]
        case .values:
            if let text = value?.string { return ["--\(key)=\(text)"] }
            guard let array = value?.array, case let texts = array.compactMap(\.string), texts.count == array.count
            else {
                throw UsageError("\(key): must be an array of strings in quotes")
            }
            return texts.map { "--\(key)=\($0)" }
        }
    }

    /// Returns the path with the home folder in place of a leading `~`.
    private static func expanded(_ path: String) throws -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        guard let home = BaseFolder.home else {
            throw UsageError("cannot find the folder '\(path)': HOME is not an absolute path; set HOME")
        }
        return home + path.dropFirst()
    }
}
