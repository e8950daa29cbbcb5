// SPDX-License-Identifier: Apache-2.0
import HTTPExecutor
import Testing
import TransferModel

@testable import CurlTransport

@Suite("Heads of responses, line by line")
struct HeadReaderTests {
    /// Reads lines and returns the heads that they complete.
    private static func heads(_ lines: [String], ending: String = "\r\n") -> [ResponseHead] {
        var reader = HeadReader()
        return lines.compactMap { line in
            let step = Array((line + ending).utf8).withUnsafeBytes { reader.read($0) }
            if case .complete(let head) = step { return head }
            return nil
        }
    }

    private static func head(_ status: Int, _ fields: [(String, String)]) -> ResponseHead {
        ResponseHead(status: status, fields: fields.map { HeaderField(name: $0.0, value: $0.1) })
    }

    @Test("Blanks around a value are left out, and so are fields without a value or a name", arguments: ["\r\n", "\n"])
    func tidy(ending: String) {
        let lines = ["HTTP/1.1 200 OK", "A:1", "B: \t 2 ", "C:", ": 3", "no colon", ""]
        #expect(Self.heads(lines, ending: ending) == [Self.head(200, [("A", "1"), ("B", "2")])])
    }

    @Test("Fields of one name are joined, except cookies; a folded line continues its value")
    func joined() {
        let lines = [
            "HTTP/2 404", "content-length: 10", "Content-Length: 10", "Set-Cookie: a=1", "Set-Cookie: b=2", "X: one",
            "  two", "",
        ]
        let fields = [("content-length", "10, 10"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("X", "one two")]
        #expect(Self.heads(lines) == [Self.head(404, fields)])
    }

    @Test("Interim heads are left out, except those that name an upload's URL or another protocol")
    func interim() {
        let lines = [
            "HTTP/1.1 100 Continue", "A: 1", "", "HTTP/1.1 104 Upload", "Location: /u", "", "HTTP/1.1 200", "B: 2", "",
        ]
        #expect(Self.heads(lines) == [Self.head(104, [("Location", "/u")]), Self.head(200, [("B", "2")])])
    }

    @Test("N1: bytes that are not UTF-8 stay the same bytes in a URL, and are Latin-1 elsewhere")
    func latin1() {
        var reader = HeadReader()
        let lines = ["HTTP/1.1 302 Found", "location:/caf", "X: caf", ""].map {
            Array($0.utf8) + ($0.hasSuffix("caf") ? [0xFC] : [])
        }
        let steps = lines.map { ($0 + [13, 10]).withUnsafeBytes { reader.read($0) } }
        #expect(steps.last == .complete(Self.head(302, [("location", "/caf%FC"), ("X", "cafü")])))
    }

    @Test("Trailers after the body are left out")
    func trailers() {
        #expect(Self.heads(["HTTP/1.1 200 OK", "", "X-Sum: 1", ""]) == [Self.head(200, [])])
    }

    @Test("A status that is no number is 0")
    func strange() {
        var reader = HeadReader()
        var steps: [HeadReader.Step] = []
        for line in [Array("HTTP/1.1 abc\r\n".utf8), Array("A: ".utf8) + [0xff, 13, 10], [13, 10]] {
            steps.append(line.withUnsafeBytes { reader.read($0) })
        }
        #expect(steps.last == .complete(Self.head(0, [("A", "ÿ")])))
    }

    @Test("Heads of more than 256 KiB are too large")
    func tooLarge() {
        var reader = HeadReader()
        let line = Array((String(repeating: "a", count: 1022) + "\r\n").utf8)
        let steps = (0..<257).map { _ in line.withUnsafeBytes { reader.read($0) } }
        #expect(steps[255] == .more && steps[256] == .tooLarge)
    }
}
