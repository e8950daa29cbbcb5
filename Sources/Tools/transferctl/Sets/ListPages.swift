// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferModel

/// The limits of a list that a server sends in pages, so that a list without an end does not keep a command busy.
struct ListPages {
    /// The limit of a page, in bytes.
    static let maximumPageBytes: Int64 = 16 << 20
    /// The limit of all pages, in bytes.
    static let maximumBytes: Int64 = 64 << 20
    /// The limit of the number of pages.
    static let maximumCount = 1000
    /// The limit of the time between the first page and the last.
    static let maximumTime = Duration.seconds(3600)

    private let name: String
    private var urls: Set<String> = []
    private var bytes: Int64 = 0
    /// The time at which the request for the current page ends. `nil` for the first page, which may wait for its
    /// conditions.
    private(set) var expires: WallTime?

    /// - Parameter name: The name of the list, for error messages.
    init(of name: String) { self.name = name }

    /// Checks the limits before a page is requested.
    ///
    /// - Throws: `UsageError` that names the list and the limit.
    mutating func begin(_ url: String, at now: WallTime) throws {
        if !urls.isEmpty { expires = expires ?? now.advanced(by: Self.maximumTime) }
        guard urls.insert(url).inserted else {
            throw UsageError("\(name): the list has no end: it continues with \(RedactedURL.text(of: url)) again")
        }
        guard urls.count <= Self.maximumCount else {
            throw UsageError("\(name): the list has more than \(Self.maximumCount) pages")
        }
        guard bytes <= Self.maximumBytes else {
            throw UsageError("\(name): the list is larger than \(Formatting.bytes(Self.maximumBytes))")
        }
        guard expires.map({ now < $0 }) ?? true else {
            throw UsageError("\(name): the list takes longer than an hour; run the same command again later")
        }
    }

    /// Counts a page that has arrived.
    mutating func end(_ page: some Collection) { bytes += Int64(page.count) }
}
