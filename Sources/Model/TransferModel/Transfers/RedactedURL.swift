// SPDX-License-Identifier: Apache-2.0

/// URLs without their secrets.
public enum RedactedURL {
    /// Returns `url` without user, password, query, and fragment, safe to show and to log.
    public static func text(of url: String) -> String {
        // By bytes: all relevant characters are ASCII, and a combining mark after one of them does not change its
        // meaning.
        var rest = Substring(url).utf8
        if let end = rest.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            rest = rest[..<end]
        }
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), rest[colon...].starts(with: "://".utf8) else {
            return String(Substring(rest))
        }
        let authorityStart = rest.index(colon, offsetBy: 3)
        let authorityEnd = rest[authorityStart...].firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        guard let at = rest[authorityStart..<authorityEnd].lastIndex(of: UInt8(ascii: "@")) else {
            return String(Substring(rest))
        }
        return String(Substring(rest[..<authorityStart])) + Substring(rest[rest.index(after: at)...])
    }
}
