// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The recent changes of the machine's conditions, for splitting a transfer's waiting time by reason.
struct ConditionJournal: Sendable {
    struct Page: Sendable {
        var since: ClockReading
        var conditions: Conditions
    }

    /// The recorded conditions, oldest first. A ring buffer after the limit is reached.
    private var pages: [Page] = []
    private var oldest = 0
    /// The number of changes that the journal keeps.
    private static let limit = 256

    init() { pages.reserveCapacity(Self.limit) }

    mutating func record(_ conditions: borrowing Conditions, at now: ClockReading) {
        if pages.count < Self.limit {
            pages.append(Page(since: now, conditions: copy conditions))
        } else {
            pages[oldest].since = now
            pages[oldest].conditions = copy conditions
            oldest = (oldest + 1) % Self.limit
        }
    }

    var count: Int { pages.count }

    /// Accesses a page by number; 0 is the oldest page.
    subscript(number: Int) -> Page { pages[(oldest + number) % pages.count] }
}
