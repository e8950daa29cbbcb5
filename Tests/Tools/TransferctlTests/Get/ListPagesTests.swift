// SPDX-License-Identifier: Apache-2.0
import Testing
import ToolSupport
import TransferModel

@testable import transferctl

struct ListPagesTests {
    private static let start = WallTime(nanosecondsSinceEpoch: 0)

    /// Returns the error at which a list ends, and the number of pages before it.
    private static func end(
        bytes: Int = 100, every interval: Duration = .zero, url: (Int) -> String = { "http://h/\($0)" }
    ) -> (error: String, pages: Int) {
        var pages = ListPages(of: "list")
        var now = start
        for number in 0..<5000 {
            do { try pages.begin(url(number), at: now) } catch { return ("\(error)", number) }
            now = now.advanced(by: interval)
            pages.end(0..<bytes)
        }
        return ("", 5000)
    }

    @Test("A list ends at its limits of pages, bytes, and time, and at a page that repeats")
    func limits() {
        #expect(Self.end() == ("list: the list has more than 1000 pages", 1000))
        #expect(Self.end(bytes: 10 << 20) == ("list: the list is larger than 67.1 MB", 7))
        #expect(
            Self.end(every: .seconds(59))
                == ("list: the list takes longer than an hour; run the same command again later", 63))
        let repeated = "list: the list has no end: it continues with http://h/2 again"
        #expect(Self.end { "http://h/\($0 % 3 == 0 && $0 > 0 ? 2 : $0)?token=secret" } == (repeated, 3))
    }

    @Test("The first page may wait for its conditions; the others end within an hour of it")
    func time() throws {
        var pages = ListPages(of: "list")
        try pages.begin("a", at: Self.start)
        #expect(pages.expires == nil)
        try pages.begin("b", at: Self.start.advanced(by: .seconds(90_000)))
        try pages.begin("c", at: Self.start.advanced(by: .seconds(90_100)))
        #expect(pages.expires == Self.start.advanced(by: .seconds(93_600)))
    }
}
