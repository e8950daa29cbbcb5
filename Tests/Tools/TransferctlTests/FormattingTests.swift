// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite("Formatting of bytes, times, and text")
struct FormattingTests {
    @Test(
        "Formats bytes with about three digits",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (1_500_000, "1.50 MB"), (27_000_000, "27.0 MB"),
            (999_949, "999.9 kB"), (999_950, "1.00 MB"),
            (9_994_999, "9.99 MB"), (9_995_000, "10.0 MB"), (1_075, "1.08 kB"),
            (1_005_000, "1.01 MB"), (1_073_741_824, "1.07 GB"), (Int64.max, "9223372.0 TB"),
        ])
    func bytes(count: Int64, text: String) { #expect(Formatting.bytes(count) == text) }

    @Test("Rounds every size to the nearest digit")
    func sizes() throws {
        let units: [String: Double] = ["B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12]
        var count: Int64 = 1
        while count < 1 << 60 {
            let words = Formatting.bytes(count).split(separator: " ")
            let unit = try #require(units[String(words[1])])
            let shown = try #require(Double(words[0]))
            let figures = words[0].split(separator: ".").last?.count ?? 0
            let digit = words[0].contains(".") ? 1 / pow(10, Double(figures)) : 1
            #expect(abs(shown - Double(count) / unit) <= digit * 0.500_001, "\(count): \(words)")
            #expect((1..<1000).contains(shown) || unit == 1e12, "\(count): \(words)")
            count += count / 331 + 1
        }
    }

    @Test(
        "Formats durations from minutes to days",
        arguments: [
            (0, "0:00"), (42, "0:42"), (3661, "1:01:01"), (90_000, "1 d 1 h"),
        ])
    func spans(seconds: Int64, text: String) { #expect(Formatting.span(seconds) == text) }

    @Test("Formats dates as RFC 3339 in UTC with milliseconds")
    func dates() {
        #expect(
            Formatting.rfc3339(WallTime(nanosecondsSinceEpoch: 1_795_262_400_123_000_000)) == "2026-11-21T12:00:00.123Z"
        )
    }

    @Test("Cuts text to columns, counts wide characters as two, and replaces control characters")
    func fitting() {
        #expect(Formatting.fitted("abcdef", width: 6) == "abcdef")
        #expect(Formatting.fitted("abcdefg", width: 6) == "abcde…")
        #expect(Formatting.fitted("日本語です", width: 6) == "日本…")
        #expect(Formatting.columns("日本語") == 6)
        #expect((Formatting.columns("plain text"), Formatting.columns("e\u{301}")) == (10, 1))
        #expect(Formatting.fitted("a\u{1B}[31mb", width: 20) == "a\u{FFFD}[31mb")
        #expect(Formatting.fitted("abc", width: 0) == "")
    }

    @Test("Wraps text at spaces, and cuts words that are longer than a line")
    func wrapping() {
        #expect(Formatting.wrapped("on battery since 14:02", width: 10) == ["on battery", "since", "14:02"])
        #expect(Formatting.wrapped("a abcdefghij b", width: 5) == ["a", "abcde", "fghij", "b"])
        #expect(Formatting.wrapped("", width: 5).isEmpty)
    }

    @Test("A long line is broken between words, with a hanging indent; tables and long words stay as they are")
    func broken() {
        #expect(Formatting.broken("short", width: 10) == "short")
        #expect(Formatting.broken("on battery since 14:02", width: 12) == "on battery\n  since\n  14:02")
        #expect(
            Formatting.broken("a b\n  to /a/long/path and on", width: 12) == "a b\n  to\n    /a/long/path\n    and on")
        #expect(Formatting.broken("ID   STATE   NAME OF IT", width: 12) == "ID   STATE   NAME OF IT")
        #expect(Formatting.broken("\n", width: 12) == "\n")
    }
}
