// SPDX-License-Identifier: Apache-2.0
import Foundation
package import LinuxConditions
import TOMLKit
package import TransferModel

/// The conditions of the user in the file of the daemon's settings: the tables `[condition.NAME]`.
package enum OwnConditions {
    private typealias Values = DaemonConfiguration

    private static func shown(_ value: (any TOMLValueConvertible)?) -> String { Values.shown(value) }

    private static let sourceKeys = ["command", "file", "dbus"]
    private static let conditionKeys = sourceKeys + ["values", "every", "debounce", "sentence"]
    private static let propertyKeys = ["bus", "name", "path", "interface", "property"]

    /// Returns the conditions that the tables `[condition.NAME]` define, sorted by name.
    ///
    /// - Throws: `UsageError` that names the key, the error and its remedy.
    static func parsed(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> [CustomConditionSource] {
        guard let table = value?.table else {
            throw UsageError("\(key)\(shown(value)): must be tables [condition.NAME], each with 'values' and a source")
        }
        return try table.keys.sorted().map { name in
            guard CustomConstraint.isName(name) else {
                let why =
                    CustomConstraint.reservedNames.contains(name)
                    ? "the machine itself has such a condition; use another name"
                    : "a name is up to 32 lowercase letters, digits, and hyphens, with a letter first"
                throw UsageError("\(key).\(name): \(why)")
            }
            return try condition(name, key: "\(key).\(name)", table[name])
        }
    }

    private static func condition(
        _ name: String, key: String, _ value: (any TOMLValueConvertible)?
    ) throws -> CustomConditionSource {
        guard let table = value?.table else { throw UsageError("\(key)\(shown(value)): must be a table with 'values'") }
        try check(table, of: key, known: conditionKeys)
        var source = try shipped(name, table) ?? defined(name, key: key, table)
        if let every = table["every"] {
            guard case .command = source.origin else {
                throw UsageError("\(key): every applies to a command only; a file and a property are followed")
            }
            source.interval = try duration("\(key): every", every)
            guard source.interval >= .seconds(5) else { throw UsageError("\(key): every must be at least \"5s\"") }
        }
        if let debounce = table["debounce"] { source.debounce = try duration("\(key): debounce", debounce) }
        if let sentence = table["sentence"] {
            guard let sentences = sentence.table else {
                throw UsageError("\(key): sentence\(shown(sentence)): must be a table from values to sentences")
            }
            try check(sentences, of: "\(key): sentence", known: source.values)
            for value in sentences.keys {
                source.sentences[value] = try Values.text("\(key): sentence.\(value)", sentences[value])
            }
        }
        return source
    }

    /// Returns the shipped definition of that name, unless the table has a definition of its own.
    private static func shipped(_ name: String, _ table: TOMLTable) -> CustomConditionSource? {
        guard (sourceKeys + ["values"]).allSatisfy({ table[$0] == nil }) else { return nil }
        return CustomConditionSource.shipped.first { $0.name == name }
    }

    private static func defined(_ name: String, key: String, _ table: TOMLTable) throws -> CustomConditionSource {
        guard let array = table["values"]?.array, !array.isEmpty else {
            throw UsageError(
                "\(key): values\(shown(table["values"])): must be a list, such as [\"yes\", \"no\"]; no keys are "
                    + "needed for \(CustomConditionSource.shipped.map(\.name).joined(separator: ", "))")
        }
        let values = try array.map { try Values.text("\(key): values", $0) }
        if let wrong = values.first(where: { !CustomConstraint.isValue($0) }) {
            throw UsageError(
                "\(key): values: '\(wrong)' must be up to 64 letters, digits, hyphens, underscores, and periods")
        }
        var source = CustomConditionSource(name, try origin(of: name, key, table), values: values)
        // A value that flaps would start and stop transfers each time. The user sets a value once.
        if case .setting = source.origin {} else { source.debounce = .seconds(1) }
        return source
    }

    private static func check(_ table: TOMLTable, of key: String, known: [String]) throws {
        guard let other = table.keys.first(where: { !known.contains($0) }) else { return }
        throw UsageError("\(key): " + Suggestion.unknownKey(other, known: known))
    }

    private static func duration(_ key: String, _ value: any TOMLValueConvertible) throws -> Duration {
        guard let duration = DurationExpression(try Values.text(key, value))?.duration, duration <= .seconds(86_400)
        else {
            throw UsageError("\(key)\(shown(value)): must be a duration of at most a day, such as \"30s\" or \"10m\"")
        }
        return duration
    }

    /// Returns the source of a condition. Without one, the user sets the condition.
    private static func origin(
        of name: String, _ key: String, _ table: TOMLTable
    ) throws -> CustomConditionSource.Origin {
        let sources = sourceKeys.filter { table[$0] != nil }
        guard sources.count <= 1 else {
            throw UsageError("\(key): \(sources.joined(separator: " and ")) exclude each other; keep one")
        }
        if let command = table["command"] { return .command(try PriceSettings.words("\(key): command", command)) }
        if let file = table["file"] { return .file(try PriceSettings.absolutePath("\(key): file", file)) }
        guard let property = table["dbus"] else { return .setting(try valuePath(of: name)) }
        guard let fields = property.table else {
            throw UsageError("\(key): dbus\(shown(property)): must be a table with name, path, interface, and property")
        }
        try check(fields, of: "\(key): dbus", known: propertyKeys)
        let bus = try fields["bus"].map { try Values.text("\(key): dbus.bus", $0) } ?? "session"
        guard ["session", "system"].contains(bus) else {
            throw UsageError("\(key): dbus.bus = \"\(bus)\": must be \"session\" or \"system\"")
        }
        func field(_ name: String, separator: Character) throws -> String {
            let text = try Values.text("\(key): dbus.\(name)", fields[name])
            let parts = (separator == "/" ? text.dropFirst() : text[...]).split(
                separator: separator, omittingEmptySubsequences: false)
            let isValid = parts.allSatisfy { part in
                !part.isEmpty && part.utf8.count < 256
                    && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
            }
            guard isValid, separator == "/" ? text.hasPrefix("/") : separator != "." || parts.count > 1 else {
                throw UsageError("\(key): dbus.\(name) = \"\(text)\": is no name on D-Bus")
            }
            return text
        }
        return .property(
            .init(
                isOnSystemBus: bus == "system", service: try field("name", separator: "."),
                path: try field("path", separator: "/"), interface: try field("interface", separator: "."),
                name: try field("property", separator: " ")))
    }

    /// Returns the file of a condition's value that the user sets with `transferctl conditions set`.
    ///
    /// - Throws: `UsageError` if no environment variable specifies a folder for it.
    package static func valuePath(of condition: String) throws -> String {
        try BaseFolder.state.path(for: "the values of conditions") + "/transferd/conditions/\(condition)"
    }

    /// Returns the user's conditions, for commands that read the machine's conditions themselves. Without a folder for the
    /// configuration, there are none.
    ///
    /// - Throws: `UsageError` if the file is invalid.
    package static func defined() throws -> [CustomConditionSource] {
        guard let path = try? DaemonConfiguration.defaultPath() else { return [] }
        return try DaemonConfiguration(path: path, isNamed: false).conditions
    }

    /// Returns the definitions of the conditions that requirements of `--when` name, each once. Reads the file only if there
    /// are requirements.
    ///
    /// - Throws: `UsageError` that names a condition or a value which no definition has, or if the file is invalid.
    package static func required(by constraints: some Sequence<CustomConstraint>) throws -> [CustomConditionSource] {
        let constraints = Set(constraints).sorted { $0.description < $1.description }
        guard !constraints.isEmpty else { return [] }
        let defined = try defined()
        let sources = try constraints.map {
            try definition(of: $0.name, with: $0.values, in: defined, context: "--when '\($0)': ")
        }
        return defined.filter { sources.contains($0) }
    }

    /// Returns the definition of a condition with some values.
    ///
    /// - Throws: `UsageError` that begins with `context` if there is no such definition, or if it lacks a value.
    package static func definition(
        of name: String, with values: [String], in defined: [CustomConditionSource], context: String = ""
    ) throws -> CustomConditionSource {
        guard let source = defined.first(where: { $0.name == name }) else {
            let names = defined.map(\.name)
            let suggestion = Suggestion.text(for: name, in: names)
            let known = names.isEmpty ? "none is defined" : "defined are \(names.joined(separator: ", "))"
            throw UsageError(
                "\(context)no condition '\(name)' is defined" + (suggestion.isEmpty ? "; \(known)" : suggestion)
                    + (CustomConditionSource.shipped.contains { $0.name == name }
                        ? "; add the line [condition.\(name)] to " : "; define it in [condition.\(name)] of ")
                    + ((try? DaemonConfiguration.defaultPath()) ?? "config.toml"))
        }
        if let value = values.first(where: { !source.values.contains($0) }) {
            throw UsageError(
                "\(context)'\(value)' is no value of '\(name)'; use \(source.values.joined(separator: ", "))")
        }
        return source
    }
}
