// SPDX-License-Identifier: Apache-2.0
internal import HTTPSyntax
package import TransferModel

extension [Cookie] {
    /// Returns the field `Cookie` of a request, or `nil` if no cookie is meant for the URL.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - seconds: The current time in seconds since 1970. Cookies that have expired are left out.
    package func field(for url: String, at seconds: Int64) -> HeaderField? {
        guard !isEmpty else { return nil }
        let reference = URLReference(url)
        let path = reference.path.isEmpty ? "/" : reference.path
        let host = reference.host
        let matching = enumerated().filter { _, cookie in
            cookie.isMeant(forHost: host) && cookie.isMeant(forPath: path)
                && (!cookie.isSecure || reference.scheme == "https") && cookie.isValid(at: seconds)
        }
        guard !matching.isEmpty else { return nil }
        // Longer paths come first (RFC 6265 §5.4).
        let sorted = matching.sorted { ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset) }
        return HeaderField(
            name: "Cookie", value: sorted.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; "))
    }
}
