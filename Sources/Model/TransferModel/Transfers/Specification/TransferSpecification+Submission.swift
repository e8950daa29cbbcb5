// SPDX-License-Identifier: Apache-2.0

extension WallTime {
    /// The placeholder for the date of a submission. The engine replaces it with the current date.
    public static let atSubmission = WallTime(nanosecondsSinceEpoch: .min)
}

extension TransferSpecification {
    /// The server that an http or https URL names.
    package struct Server: Hashable, Sendable {
        /// The scheme, in lowercase.
        package var scheme: String
        /// The name or address, in lowercase. An IPv6 address has brackets.
        package var host: String
        /// The port. The default is the scheme's port.
        package var port: Int
        /// The key for counting slots per host.
        package var origin: String { "\(scheme)://\(host):\(port)" }

        /// Finds the server in a URL. Returns `nil` if the URL is not an http or https URL with a host.
        package init?(_ url: String) {
            // By bytes, because a combining mark after a delimiter does not change its meaning.
            let text = url.lowercased().utf8
            guard let scheme = ["http", "https"].first(where: { text.starts(with: ($0 + "://").utf8) }) else {
                return nil
            }
            let authority = text.dropFirst(scheme.utf8.count + 3).prefix { !"/?#\\".utf8.contains($0) }
            let start = authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) }
            let address = authority[(start ?? authority.startIndex)...]
            let end =
                address.first == UInt8(ascii: "[")
                ? address.firstIndex(of: UInt8(ascii: "]")).map { address.index(after: $0) } ?? address.startIndex
                : address.firstIndex(of: UInt8(ascii: ":")) ?? address.endIndex
            let (host, rest) = (address[..<end], address[end...])
            guard !host.isEmpty, host.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
            self.scheme = scheme
            self.host = String(Substring(host))
            port = scheme == "http" ? 80 : 443
            guard !rest.isEmpty else { return }
            let digits = rest.dropFirst()
            guard rest.first == UInt8(ascii: ":"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            guard !digits.isEmpty else { return }
            guard let number = UInt16(Substring(digits)) else { return nil }
            port = Int(number)
        }
    }
}

extension TransferSpecification {
    /// A copy without possible secrets: no header fields, no cookies, no body, no credentials, and a URL without user, password,
    /// query, and fragment.
    ///
    /// These fields alone determine whether a store must remove anything.
    public var redacted: TransferSpecification {
        var copy = self
        copy.headers = []
        copy.cookies = nil
        copy.credential = nil
        copy.body = nil
        copy.challengeResponses = []
        copy.lacksFields = lacksFields || copy != self
        copy.url = RedactedURL.text(of: url)
        copy.mirrors?.urls = mirrors?.urls.map { RedactedURL.text(of: $0) } ?? []
        copy.isIncomplete = isIncomplete || copy != self
        return copy
    }

    /// Replaces the URL. A server of another origin does not receive the cookies, the credentials, and the header fields
    /// that were meant for the previous one.
    package mutating func move(to url: String) {
        let isSameServer = Server(self.url).map { $0.origin == Server(url)?.origin } ?? false
        self.url = url
        mirrors?.number = 0
        if !isSameServer { MirrorList.removeSecrets(from: &self) }
        if !lacksFields { isIncomplete = false }
    }
}
