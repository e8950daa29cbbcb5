// SPDX-License-Identifier: Apache-2.0
import CLinuxFiles
import Glibc
internal import HTTPSyntax
package import TransferModel

/// The URLs from which a file was downloaded, stored with the file as extended attributes (C9).
///
/// The attributes follow the freedesktop.org conventions, which file managers and scanners read: `user.xdg.origin.url`
/// and `user.xdg.referrer.url`. The attributes outlive the transfer and stay with the file when it is shared. The URLs
/// are therefore stored without user, password, query, and fragment.
package struct Provenance: Hashable, Sendable {
    /// The name of the attribute for the file's own URL.
    package static let originAttribute = "user.xdg.origin.url"
    /// The name of the attribute for the URL in the `Referer` field.
    package static let referrerAttribute = "user.xdg.referrer.url"

    /// The requested URL. The target of a redirect is not used, because only the server knows that target.
    package var origin: String?
    /// The URL in the request's `Referer` field, or `nil` if it does not exist.
    package var referrer: String?

    /// Creates the provenance of a transfer's file.
    package init(_ specification: TransferSpecification) {
        origin = Self.shown(specification.url)
        referrer = specification.headers.last { $0.name.lowercased() == "referer" }.flatMap { Self.shown($0.value) }
    }

    /// Writes the attributes. Does nothing if the file system does not support them or has no room for them.
    ///
    /// Costs at most two system calls. Failures are ignored, because a file is just as good without the attributes.
    package func record(on descriptor: Int32) {
        for (name, value) in [(Self.originAttribute, origin), (Self.referrerAttribute, referrer)] {
            guard var value else { continue }
            value.withUTF8 { _ = fsetxattr(descriptor, name, $0.baseAddress, $0.count, 0) }
        }
    }

    /// Returns an HTTP or HTTPS URL without user, password, query, and fragment.
    ///
    /// Returns `nil` for any other text, because a secret could be anywhere in that text.
    private static func shown(_ url: String) -> String? {
        let reference = URLReference(RedactedURL.text(of: url)).withoutUserInfo
        guard ["http", "https"].contains(reference.scheme), !reference.host.isEmpty else { return nil }
        // A password that contains an unescaped slash would look like a port and a path.
        let port = reference.hostAndPort.dropFirst(reference.host.count)
        guard port.isEmpty || port.hasPrefix(":") && port.dropFirst().allSatisfy(\.isNumber) else { return nil }
        return reference.text
    }
}
