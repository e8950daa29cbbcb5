// SPDX-License-Identifier: Apache-2.0
import RawBus

/// The faults found so far: each kind with its first example and its count.
struct FuzzFaults {
    private var counts: [String: Int] = [:]
    private var examples: [(kind: String, example: String)] = []

    var isEmpty: Bool { examples.isEmpty }

    mutating func add(_ kind: String, _ example: String) {
        counts[kind, default: 0] += 1
        if counts[kind] == 1 {
            examples.append((kind, example))
            print("FOUND: \(kind)\n    by \(example)")
        }
    }

    var lines: [String] { examples.map { "WRONG (\(counts[$0.kind] ?? 0) times): \($0.kind)\n    by \($0.example)" } }

    /// The daemon's errors that are valid replies to invalid input.
    ///
    /// `StoreFailed` is not among them, because it means that the disk is at fault.
    private static let ours: Set = [
        "InvalidArgument", "NoSuchTransfer", "NoSuchApp", "TransferEnded", "TooManyTransfers", "LimitExceeded",
        "MessageTooLarge", "AccessDenied", "BadIdentifier", "SessionInUse", "NoSuchSession",
    ]
    /// The standard D-Bus errors for objects, interfaces, methods, and properties that do not exist.
    private static let standard: Set = [
        "UnknownObject", "UnknownMethod", "UnknownInterface", "UnknownProperty", "InvalidArgs", "PropertyReadOnly",
    ]

    /// Returns a description of the fault in a reply, or `nil` if the reply is valid.
    static func fault(in reply: WireMessage) -> String? {
        guard reply.kind == .error else {
            do { _ = try reply.values() } catch { return "unreadable reply: \(error)" }
            return nil
        }
        let name = reply.errorName ?? ""
        let text = (try? reply.values().first?.text) ?? ""
        let isKnown =
            name.hasPrefix("org.transferd.Error.") && ours.contains(String(name.dropFirst(20)))
            || name.hasPrefix("org.freedesktop.DBus.Error.") && standard.contains(String(name.dropFirst(27)))
        guard isKnown else { return "the error \(name): \(shape(text))" }
        if text.isEmpty { return "the error \(name) has no text" }
        // GDBus repeats the caller's input in its own error texts.
        guard name.hasPrefix("org.transferd.") else { return nil }
        if text.utf8.count > 8192 { return "the error \(name) has an overlong text: \(text.prefix(80))" }
        if text.unicodeScalars.contains(where: isBidirectional) {
            return "the error \(name) repeats bidirectional control characters"
        }
        return nil
    }

    private static func isBidirectional(_ scalar: Unicode.Scalar) -> Bool {
        [0x061C, 0x200E, 0x200F].contains(scalar.value) || 0x202A...0x202E ~= scalar.value
            || 0x2066...0x2069 ~= scalar.value
    }

    /// Replaces the digits of a text, so that one fault counts as one kind.
    private static func shape(_ text: String) -> String {
        String(text.prefix(200).map { $0.isNumber ? "#" : $0 })
    }
}
