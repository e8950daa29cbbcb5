// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import ToolSupport
import TransferModel

/// The options of a download, from a caller. All options that are not listed here are refused.
///
/// No option names a command, a hook, a configuration file, or a session file (aria2c(1), "OPTIONS").
struct DownloadOptions: Hashable, Sendable {
    /// The texts of the options, by name. Header fields are in ``headers``.
    private(set) var texts: [String: String] = [:]
    /// The header fields, as `Name: value`. `nil` if the caller names none; an empty list removes the defaults.
    private(set) var headers: [String]?

    /// The options that a caller may set.
    static let names: Set<String> = [
        "dir", "out", "header", "user-agent", "referer", "http-user", "http-passwd", "checksum", "pause",
        "max-download-limit", "max-connection-per-server", "split", "max-tries", "timeout", "remote-time",
        "transferd.kind", "transferd.priority",
    ]

    /// The options that may have only this value, which is what the server always does.
    private static let fixed = [
        "allow-overwrite": "false", "auto-file-renaming": "true", "check-certificate": "true", "continue": "true",
        "always-resume": "true", "follow-torrent": "false", "follow-metalink": "false", "http-accept-gzip": "false",
    ]

    /// The options that only tune aria2. They are accepted without effect.
    private static let ignored: Set<String> = [
        "min-split-size", "piece-length", "file-allocation", "retry-wait", "connect-timeout", "uri-selector",
        "stream-piece-selector", "max-overall-download-limit", "enable-http-keep-alive", "enable-http-pipelining",
        "metalink-preferred-protocol", "lowest-speed-limit", "max-resume-failure-tries", "no-netrc", "reuse-uri",
        "realtime-chunk-checksum", "remove-control-file", "force-save", "conditional-get",
    ]

    /// The maximum number of bytes in all options together.
    private static let maximumBytes = 64 << 10

    /// Creates options without any.
    init() {}

    /// Parses the options of a call.
    ///
    /// - Throws: `RPCFault` that names the option.
    init(_ values: [String: JSONValue]) throws(RPCFault) {
        var bytes = 0
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let lines = try Self.lines(value, name)
            bytes += lines.reduce(name.utf8.count) { $0 + $1.utf8.count }
            guard bytes <= Self.maximumBytes else {
                throw RPCFault("the options have more than \(Self.maximumBytes) bytes")
            }
            try set(name, lines)
        }
    }

    private mutating func set(_ name: String, _ lines: [String]) throws(RPCFault) {
        if name == "header" {
            headers = (headers ?? []) + lines.filter { !$0.isEmpty }
            return
        }
        guard lines.count == 1 else { throw RPCFault("the option '\(name.prefix(40))' must be one text") }
        if let only = Self.fixed[name] {
            guard lines[0] == only else { throw RPCFault("the option '\(name)' can only be '\(only)' here") }
        } else if !Self.ignored.contains(name) {
            guard Self.names.contains(name) else {
                throw RPCFault(
                    "the option '\(name.prefix(40))' is not supported; supported are "
                        + Self.names.sorted().joined(separator: ", "))
            }
            texts[name] = lines[0]
        }
    }

    private static func lines(_ value: JSONValue, _ name: String) throws(RPCFault) -> [String] {
        switch value {
        case .string(let text): return [text]
        case .boolean(let flag): return [flag ? "true" : "false"]
        case .number(let number) where number == number.rounded() && number.magnitude < 1e15:
            return ["\(Int64(number))"]
        case .array(let items):
            return try items.map { (item) throws(RPCFault) in
                guard case .string(let text) = item else {
                    throw RPCFault("the option '\(name.prefix(40))' must be a list of texts")
                }
                return text
            }
        default: throw RPCFault("the option '\(name.prefix(40))' must be a text")
        }
    }

    /// Returns these options, completed by others.
    func completed(by others: DownloadOptions) -> DownloadOptions {
        var result = self
        result.texts.merge(others.texts) { own, _ in own }
        result.headers = headers ?? others.headers
        return result
    }

    /// The options as a result of `getOption`, without the password and the header fields, which contain cookies and
    /// tokens. Callers know the secrets that they have sent. Nobody else needs them.
    var values: [String: JSONValue] {
        texts.filter { $0.key != "http-passwd" }.mapValues { JSONValue.string($0) }
    }

    /// Whether the download is paused from the start.
    var isPaused: Bool { get throws(RPCFault) { try flag("pause") ?? false } }

    /// Sets what these options request, except for the destination.
    ///
    /// - Throws: `RPCFault` that names the option.
    func apply(to specification: inout TransferSpecification) throws(RPCFault) {
        specification.headers = try headerFields()
        specification.usesRemoteTime = try flag("remote-time") ?? false
        if let limit = texts["max-download-limit"], limit != "0" {
            specification.rateLimit = try Self.byteCount(limit, "max-download-limit")
        }
        if let seconds = try number("timeout", in: 1...86_400) { specification.idleTimeoutSeconds = seconds }
        // 0 means without a limit, which is the default here.
        if let tries = try number("max-tries", in: 0...1_000_000), tries > 0 {
            specification.traits.maximumAttempts = tries
        }
        if let priority = try number("transferd.priority", in: 0...1000) { specification.traits.priority = priority }
        let most = ConnectionCount.range
        let perServer = try number("max-connection-per-server", in: 1...most.upperBound) ?? most.upperBound
        let split = try number("split", in: 1...1_000_000) ?? most.upperBound
        if texts["split"] != nil || texts["max-connection-per-server"] != nil {
            specification.connections = min(split, perServer)
        }
        if let text = texts["checksum"] {
            do { specification.checksum = try Checksum(parsing: Self.checksum(text)) } catch {
                throw RPCFault("the option 'checksum' \(error); use sha-256=HEX")
            }
        }
        if let user = texts["http-user"] {
            specification.credential = Credential(user: user, password: texts["http-passwd"] ?? "")
        }
    }

    /// The kind of work that the caller requests, or `nil` for the server's.
    var kind: WorkKind? {
        get throws(RPCFault) {
            guard let text = texts["transferd.kind"] else { return nil }
            guard let kind = WorkKind(rawValue: text), kind != .userInitiated else {
                throw RPCFault("the option 'transferd.kind' must be normal or discretionary")
            }
            return kind
        }
    }

    private func headerFields() throws(RPCFault) -> [HeaderField] {
        var fields = try (headers ?? []).map { (line) throws(RPCFault) in
            guard let colon = line.firstIndex(of: ":") else {
                throw RPCFault("the option 'header' must be 'Name: value'")
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return HeaderField(name: String(line[..<colon]), value: String(value))
        }
        if let agent = texts["user-agent"] { fields.append(HeaderField(name: "User-Agent", value: agent)) }
        if let referer = texts["referer"] { fields.append(HeaderField(name: "Referer", value: referer)) }
        return fields
    }

    private func flag(_ name: String) throws(RPCFault) -> Bool? {
        guard let text = texts[name] else { return nil }
        guard let flag = Bool(text) else { throw RPCFault("the option '\(name)' must be true or false") }
        return flag
    }

    private func number(_ name: String, in range: ClosedRange<Int>) throws(RPCFault) -> Int? {
        guard let text = texts[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw RPCFault(
                "the option '\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func byteCount(_ text: String, _ name: String) throws(RPCFault) -> Int64 {
        guard let bytes = ByteCount(text)?.bytes, bytes > 0 else {
            throw RPCFault("the option '\(name)' must be a number of bytes per second, such as 500K or 2M")
        }
        return bytes
    }

    /// Returns a checksum in the form of the model: aria2 writes `sha-256=HEX`.
    private static func checksum(_ text: String) -> String {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return text }
        return parts[0].replacing("sha-", with: "sha") + ":" + parts[1]
    }
}
