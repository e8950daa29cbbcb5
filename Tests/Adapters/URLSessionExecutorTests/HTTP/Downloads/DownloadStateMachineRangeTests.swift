// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

struct DownloadStateMachineRangeTests {
    @Test("A server that shortens ranges receives requests until all bytes are present")
    func cutRanges() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.part("0-4/12")
        talk.bytes(5)
        talk.end()
        talk.part("5-9/12")
        talk.bytes(5)
        talk.end()
        talk.part("10-11/12")
        talk.bytes(2)
        talk.end()
        #expect(talk.lines.suffix(4) == ["ask bytes=10- if \"a\"", "receive 12", "write 2", "finish"])
    }

    @Test("200 for a resumed request restarts with the same response")
    func changedOnContinue() {
        var talk = DownloadDialogue(DownloadDialogue.plan(offset: 100, total: 300, tag: "\"a\""))
        talk.start()
        talk.head(200, ["Content-Length": "7", "ETag": "\"b\""])
        talk.bytes(7)
        talk.end()
        #expect(talk.lines == ["ask bytes=100-109 if \"a\"", "startOver", "receive 7", "write 7", "finish"])
        #expect(talk.machine.expected.version?.entityTag == "\"b\"")
    }

    @Test(
        "A restart says whether the file changed or the server cannot resume",
        arguments: [
            ("\"b\"", .fileChanged), ("\"a\"", .notResumable), ("W/\"a\"", .notResumable), (nil, .notResumable),
        ] as [(String?, RestartCause)])
    func restartCause(tag: String?, cause: RestartCause) {
        var talk = DownloadDialogue(DownloadDialogue.plan(offset: 100, total: 300, tag: "\"a\""))
        talk.start()
        talk.head(200, ["Content-Length": "300", "ETag": tag].compactMapValues(\.self))
        #expect(talk.lines.contains("startOver"))
        #expect(talk.restartCause == cause)
    }

    @Test(
        "A 206 response that does not match exactly leads to a request for the whole file",
        arguments: [
            ("90-109/300", "\"a\"", nil), ("101-110/300", "\"a\"", nil), ("100-109/301", "\"a\"", nil),
            ("100-109/300", "\"b\"", nil), ("100-109/300", nil, nil), ("100-109/*", "\"a\"", nil),
            ("109-100/300", "\"a\"", nil), ("100-300/300", "\"a\"", nil), ("nonsense", "\"a\"", nil),
            ("100-109/300", "W/\"a\"", nil), ("100-109/300", "\"a\"", "gzip"),
        ] as [(String, String?, String?)])
    func wrongPart(range: String, tag: String?, coding: String?) {
        var talk = DownloadDialogue(DownloadDialogue.plan(offset: 100, total: 300, tag: "\"a\""))
        talk.start()
        talk.part(range, tag: tag, coding.map { ["Content-Encoding": $0] } ?? [:])
        talk.bytes(10)
        talk.end()
        talk.head(200, ["Content-Length": "3"])
        talk.bytes(3)
        talk.end()
        let expected = ["ask bytes=100-109 if \"a\"", "startOver", "drop", "ask", "receive 3", "write 3", "finish"]
        #expect(talk.lines == expected)
    }

    @Test("A version that changes between two requests is never mixed")
    func changedBetween() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.part("0-9/30")
        talk.bytes(10)
        talk.end()
        talk.part("10-29/30", tag: "\"b\"")
        talk.end()
        #expect(talk.lines.suffix(2) == ["startOver", "ask"])
    }

    @Test("206 for a request without a range is a server fault, not a loop")
    func partToWhole() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.part("5-9/30")
        talk.end()
        talk.part("0-9/30")
        talk.end(.connection)
        #expect(talk.lines == ["ask bytes=0-9", "ask", "cancel", "failed malformedAnswer keep"])
    }

    @Test("Without a version, the second request downloads the whole file, and the first bytes are discarded")
    func noVersion() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.part("0-9/30", tag: nil)
        talk.bytes(10)
        talk.end()
        talk.head(200, ["Content-Length": "30"])
        talk.bytes(30)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "drop", "ask", "receive 30", "write 30", "finish"])
    }

    @Test("A partial file without a version is not resumed")
    func resumeWithoutVersion() {
        var talk = DownloadDialogue(DownloadDialogue.plan(offset: 100, total: 300))
        talk.start()
        #expect(talk.lines == ["startOver", "ask bytes=0-9"])
    }

    @Test("A weak tag alone does not allow a resumption")
    func weakTag() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.part("0-9/30", tag: "W/\"a\"")
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "ask"])
    }

    @Test(
        "A date is a valid version if it is at least one second before the response's date",
        arguments: [
            ("Sat, 01 Aug 2026 11:59:59 GMT", "ask bytes=10- if Sat, 01 Aug 2026 11:59:59 GMT"),
            ("Sat, 01 Aug 2026 12:00:00 GMT", "ask"),
        ])
    func dates(modified: String, expected: String) {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.part("0-9/30", tag: nil, ["Last-Modified": modified, "Date": "Sat, 01 Aug 2026 12:00:00 GMT"])
        talk.bytes(10)
        talk.end()
        #expect(talk.lines.last == expected)
    }

    @Test(
        "416 with the full size ends the download; any other 416 restarts it",
        arguments: [
            ("bytes */100", "\"a\"", ["finish"]), ("bytes */100", nil, ["finish"]),
            ("bytes */99", "\"a\"", ["startOver", "ask"]), ("bytes */100", "\"b\"", ["startOver", "ask"]),
            (nil, nil, ["startOver", "ask"]),
        ] as [(String?, String?, [String])])
    func rangeNotSatisfiable(range: String?, tag: String?, expected: [String]) {
        var talk = DownloadDialogue(DownloadDialogue.plan(offset: 100, total: 100, tag: "\"a\""))
        talk.start()
        var fields: [String: String] = [:]
        fields["Content-Range"] = range
        fields["ETag"] = tag
        talk.head(416, fields)
        talk.end()
        #expect(talk.lines == ["ask bytes=100-109 if \"a\""] + expected)
    }

    @Test("416 for an empty file leads to a request without a range")
    func emptyFile() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(416, ["Content-Range": "bytes */0"])
        talk.end()
        talk.head(200, ["Content-Length": "0"])
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "ask", "receive 0", "finish"])
    }

    @Test("416 for a request without a range is an ordinary response")
    func rangeRefusedForWhole() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(416)
        talk.end()
        talk.head(416)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "ask", "answered 416"])
    }
}
