// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What the machine was like over the last changes, so that the time a transfer has waited can be told by reasons.
struct ConditionJournal: Sendable {
    struct Page: Sendable {
        var since: Moment
        var conditions: Conditions
    }

    /// The oldest first; a ring once it is full.
    private var pages: [Page] = []
    private var oldest = 0
    /// More changes than this are forgotten.
    private static let limit = 256

    init() { pages.reserveCapacity(Self.limit) }

    mutating func note(_ conditions: borrowing Conditions, at now: Moment) {
        if pages.count < Self.limit {
            pages.append(Page(since: now, conditions: copy conditions))
        } else {
            pages[oldest].since = now
            pages[oldest].conditions = copy conditions
            oldest = (oldest + 1) % Self.limit
        }
    }

    var count: Int { pages.count }

    /// The page with that number, 0 being the oldest.
    subscript(number: Int) -> Page { pages[(oldest + number) % pages.count] }
}
