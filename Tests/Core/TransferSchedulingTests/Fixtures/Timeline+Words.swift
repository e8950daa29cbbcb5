// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

extension Timeline {
    /// The words of a line. A word `key=value` is a named value.
    struct Words {
        private var words: [String]

        init(_ line: String) { words = line.split(separator: " ").map(String.init) }

        var first: String? { words.first }
        mutating func dropFirst() { words.removeFirst() }
        func word(_ index: Int) -> String { index < words.count ? words[index] : "" }
        func number(_ index: Int) -> Int64 { Int64(word(index)) ?? 0 }
        func id(_ index: Int) -> TransferID { TransferID(number(index)) }
        func contains(_ word: String) -> Bool { words.contains(word) }
        func rest(_ index: Int) -> String { words.dropFirst(index).joined(separator: " ") }

        var values: [(String, String)] {
            words.compactMap { word in
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                return parts.count == 2 ? (parts[0], parts[1]) : nil
            }
        }

        subscript(key: String) -> String? { values.first { $0.0 == key }?.1 }

        func duration(after word: String) -> Duration? {
            guard let index = words.firstIndex(of: word) else { return nil }
            return Timeline.duration(self.word(index + 1)[...])
        }
    }

    /// Parses a duration such as `40s`, `0.5s`, `90m`, or `-3600s`. Returns `nil` for any other text.
    static func duration(_ text: Substring) -> Duration? {
        guard let unit = text.last, let value = Double(text.dropLast()) else { return nil }
        let nanoseconds = Int64((value * 1e9).rounded())
        switch unit {
        case "s": return .nanoseconds(nanoseconds)
        case "m": return .nanoseconds(nanoseconds * 60)
        case "h": return .nanoseconds(nanoseconds * 3600)
        default: return nil
        }
    }

    /// Parses a failure cause. A number is an HTTP status.
    static func cause(_ word: String) -> FailureCause? {
        if let status = Int(word) { return .status(status) }
        let all: [FailureCause] = [
            .nameResolution, .connection, .timeout, .tooSlow, .handshake, .malformedResponse, .captivePortal,
            .checksumMismatch, .executorLost, .folderUnavailable, .fileInUse, .certificate, .unsupportedURL, .redirect,
            .destination, .encodedBody,
            .tooLarge, .sourceChanged,
        ]
        return all.first { $0.code == word }
    }

    static func text(_ ending: Ending) -> String {
        switch ending {
        case .finished: "finished"
        case .responded(let status): "answered:\(status)"
        case .failed(let cause): "failed:\(cause.code)"
        case .cancelled: "cancelled"
        }
    }

    static func text(_ remedy: Remedy) -> String {
        func seconds(_ duration: Duration) -> String { "\(duration.components.seconds)s" }
        return switch remedy {
        case .plugIn(let after): "plugIn:\(seconds(after))"
        case .chargeAbove(let level): "chargeAbove:\(level)"
        case .joinUnmetered(let after): "joinUnmetered:\(seconds(after))"
        case .joinNetwork(let after): "joinNetwork:\(seconds(after))"
        case .logIn: "logIn"
        case .joinKind(let kinds, let after):
            "joinKind:\(kinds.kinds.map(\.rawValue).joined(separator: "+")):\(seconds(after))"
        case .wait(let until): "wait:\(seconds(Machine.start.wall.duration(to: until)))"
        case .slot: "slot"
        case .freeSpace(let bytes): "freeSpace:\(bytes.map { String($0) } ?? "some")"
        case .resume: "resume"
        case .joinAllowed(let after): "joinAllowed:\(seconds(after))"
        case .openApp: "openApp"
        case .become(let constraint): "become:\(constraint)"
        case .release(let holder): "release:\(holder)"
        }
    }
}

extension StringProtocol {
    var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
