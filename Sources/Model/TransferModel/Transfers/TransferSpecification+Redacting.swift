// SPDX-License-Identifier: Apache-2.0

extension TransferSpecification {
    /// The same without what may be secret: no header fields, no credentials, and the URL without user, password, query and
    /// fragment.
    ///
    /// A store may tell by these fields alone whether there is anything to remove.
    public var redacted: TransferSpecification {
        var copy = self
        copy.headers = []
        copy.credential = nil
        copy.answeredChallenges = []
        copy.url = Self.redacted(url: url)
        return copy
    }

    /// `url` without user, password, query and fragment: what may be shown and logged.
    public static func redacted(url: String) -> String {
        // By bytes: all that counts here is ASCII, and a mark behind one of these does not make another letter of it.
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
