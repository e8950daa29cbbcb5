// SPDX-License-Identifier: Apache-2.0
import CLinuxFiles
import Glibc
package import TransferModel

/// The addresses a file was downloaded from, kept with the file as extended attributes (C9).
///
/// The attributes are those of the freedesktop.org conventions, which file managers and scanners read:
/// `user.xdg.origin.url` and `user.xdg.referrer.url`. They outlive the transfer and go with the file to other people, so
/// that addresses stand there without user, password, query and fragment.
package struct Provenance: Hashable, Sendable {
    /// The name of the attribute with the file's own address.
    package static let originAttribute = "user.xdg.origin.url"
    /// The name of the attribute with the address that a `Referer` field named.
    package static let referrerAttribute = "user.xdg.referrer.url"

    /// The address that was asked for: not that of a redirect's target, which only the server knows.
    package var origin: String?
    /// The address that the request named in a `Referer` field; nil where there was none.
    package var referrer: String?

    /// The addresses of a transfer's file.
    package init(_ specification: TransferSpecification) {
        origin = Self.shown(specification.url)
        referrer = specification.headers.last { $0.name.lowercased() == "referer" }.flatMap { Self.shown($0.value) }
    }

    /// Writes the attributes; does nothing where the file system has none, or where there is no room for them.
    ///
    /// Costs two system calls at most. A file without them is as good, so that failures are of no account.
    package func record(on descriptor: Int32) {
        for (name, value) in [(Self.originAttribute, origin), (Self.referrerAttribute, referrer)] {
            guard var value else { continue }
            value.withUTF8 { _ = fsetxattr(descriptor, name, $0.baseAddress, $0.count, 0) }
        }
    }

    /// An http or https address without user, password, query and fragment.
    ///
    /// Nil for any other text, of which nobody can say where in it a secret stands.
    private static func shown(_ url: String) -> String? {
        let reference = URLReference(TransferSpecification.redacted(url: url)).withoutUserInfo
        guard ["http", "https"].contains(reference.scheme), !reference.host.isEmpty else { return nil }
        // A password with an unescaped slash in it would look like a port and a path.
        let port = reference.hostAndPort.dropFirst(reference.host.count)
        guard port.isEmpty || port.hasPrefix(":") && port.dropFirst().allSatisfy(\.isNumber) else { return nil }
        return reference.text
    }
}
