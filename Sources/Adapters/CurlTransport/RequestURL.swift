// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The form of a URL that libcurl reads.
enum RequestURL {
    /// Returns the URL in ASCII. libcurl converts names by the locale, which may not be UTF-8, and escapes no bytes.
    static func encoded(_ url: String) -> String {
        var url = url
        if let start = url.range(of: "://")?.upperBound {
            let authority = url[start...].prefix { !"/?#".contains($0) }
            let host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? start)...].prefix {
                $0 != ":"
            }
            if !host.utf8.allSatisfy({ $0 < 128 }),
                let name = URL(string: "http://\(host)/")?.host(percentEncoded: false)
            {
                url.replaceSubrange(host.startIndex..<host.endIndex, with: name)
            }
        }
        return url.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "!"..."~")) ?? url
    }
}
