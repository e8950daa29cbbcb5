// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

/// D3, D9: what the server answers to a request that continues a file.
struct DownloadStateMachineRangeTests {
    private static func continuing(tag: String? = "\"a\"", hasChecksum: Bool = false) -> DownloadDialogue {
        var plan = DownloadDialogue.plan(offset: 100, total: 300, tag: tag)
        plan.hasChecksum = hasChecksum
        var talk = DownloadDialogue(plan)
        talk.start()
        return talk
    }

    @Test(
        "A restart says whether the file changed or the server cannot resume",
        arguments: [
            ("\"b\"", .fileChanged), ("\"a\"", .notResumable), ("W/\"a\"", .notResumable), (nil, .notResumable),
        ] as [(String?, RestartCause)])
    func restartCause(tag: String?, cause: RestartCause) {
        var talk = Self.continuing()
        talk.head(200, ["Content-Length": "300", "ETag": tag].compactMapValues(\.self))
        #expect(talk.lines.contains("startOver"))
        #expect(talk.restartCause == cause)
    }

    @Test("A partial file without a version is not resumed, unless a checksum proves the continuation")
    func resumeWithoutVersion() {
        #expect(Self.continuing(tag: nil).lines == ["startOver", "ask"])
        var talk = Self.continuing(tag: nil, hasChecksum: true)
        talk.part("100-199/300", tag: nil)
        talk.bytes(100)
        talk.end()
        talk.part("200-299/300", tag: nil)
        talk.bytes(100)
        talk.end()
        #expect(
            talk.lines == [
                "ask bytes=100-", "receive 300", "write 100", "ask bytes=200-", "receive 300", "write 100", "finish",
            ])
        talk = Self.continuing(tag: nil, hasChecksum: true)
        talk.part("100-299/301", tag: nil)
        talk.end()
        #expect(talk.lines == ["ask bytes=100-", "ask"])
    }

    @Test(
        "A range that is refused with anything but 416 is followed by a request without a range, which keeps the bytes",
        arguments: [400, 401, 403, 404, 405, 406, 409, 410, 412, 501])
    func refused(status: Int) {
        var talk = Self.continuing()
        talk.head(status)
        talk.end()
        #expect(talk.lines == ["ask bytes=100- if \"a\"", "ask"])
        #expect(talk.machine.position == 100)
        var gone = talk
        gone.head(404)
        gone.end()
        #expect(gone.lines.suffix(1) == ["answered 404"] && gone.machine.position == 100)
        talk.head(200, ["Content-Length": "300", "ETag": "\"a\""])
        talk.bytes(300)
        talk.end()
        #expect(talk.lines.suffix(4) == ["startOver", "receive 300", "write 300", "finish"])
    }

    @Test("A temporary status keeps the bytes for a later range", arguments: [408, 425, 429, 500, 502, 503, 504])
    func temporary(status: Int) {
        var talk = Self.continuing()
        talk.head(status)
        talk.end()
        #expect(talk.lines.suffix(1) == ["failed status keep"])
    }

    @Test("A server that closes two requests for a range is asked without a range; one closed request costs nothing")
    func closes() {
        var talk = Self.continuing()
        talk.end(.connection)
        talk.end(.connection)
        #expect(talk.lines == ["ask bytes=100- if \"a\"", "ask bytes=100- if \"a\"", "ask"])
        var lost = talk
        lost.end(.connection)
        #expect(lost.lines.last == "failed connection keep" && lost.machine.position == 100)
        talk.head(200, ["Content-Length": "300"])
        #expect(talk.lines.suffix(2) == ["startOver", "receive 300"])
        talk = Self.continuing()
        talk.end(.timeout)
        #expect(talk.lines.last == "failed timeout keep")
    }

    @Test(
        "A part that is not the requested one costs one request for the whole file",
        arguments: [
            (206, "bytes 99-299/300", "200", "\"a\""), (206, "bytes 100-299/301", "200", "\"a\""),
            (206, "bytes 100-299/300", "200", "\"b\""), (206, "bytes 100-299/*", "200", "\"a\""),
            (206, "", "200", "\"a\""), (206, "bytes 100-299/300", "200", ""), (416, "bytes */300", "0", ""),
            (200, "bytes 100-299/300", "200", "\"a\""), (200, "bytes 0-99/300", "100", "\"a\""),
            (200, "", "200", "\"a\""), (200, "", "200", ""),
        ])
    func wrongPart(status: Int, range: String, length: String, tag: String) {
        var talk = Self.continuing()
        let fields = ["Content-Range": range, "Content-Length": length, "ETag": tag].filter { !$0.value.isEmpty }
        talk.head(status, fields)
        talk.end()
        #expect(talk.lines == ["ask bytes=100- if \"a\"", "ask"])
    }

    @Test("Pieces that adjoin the beginning are part of it, also if they complete the file", arguments: [200, 300])
    func adjoining(end: Int64) {
        var plan = DownloadDialogue.plan(offset: 100, total: 300, tag: "\"a\"")
        plan.extents = [100..<end]
        var talk = DownloadDialogue(plan)
        talk.start()
        #expect(talk.lines == ["ask bytes=\(end)- if \"a\""])
    }

    @Test("A changed file may be shorter than the file before")
    func shorter() {
        var talk = Self.continuing()
        talk.head(200, ["Content-Length": "200", "ETag": "\"b\""])
        talk.bytes(200)
        talk.end()
        #expect(talk.lines.suffix(4) == ["startOver", "receive 200", "write 200", "finish"])
    }

    @Test("416 for a file that is complete ends the download")
    func complete() {
        for (tag, hasChecksum) in [("\"a\"", false), (nil, true)] as [(String?, Bool)] {
            var plan = DownloadDialogue.plan(offset: 300, total: 300, tag: tag)
            plan.hasChecksum = hasChecksum
            var talk = DownloadDialogue(plan)
            talk.start()
            talk.head(416, ["Content-Range": "bytes */300"])
            talk.end()
            #expect(talk.lines.last == "finish")
        }
    }

    @Test(
        "A whole file with a range is as long as the range says, so that a cut file is never finished",
        arguments: [(200, "bytes 0-99/300"), (206, "bytes 0-99/300"), (200, "bytes 0-199/300")])
    func wholeWithRange(status: Int, range: String) {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(status, ["Content-Range": range, "Content-Length": "100", "ETag": "\"a\""])
        talk.bytes(100)
        talk.end()
        #expect(talk.lines == ["ask", "receive 300", "write 100", "failed connection keep"])
    }

    @Test("A part of the middle is not a file", arguments: [200, 206])
    func middle(status: Int) {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(status, ["Content-Range": "bytes 5-99/300", "Content-Length": "95"])
        talk.end(.connection)
        #expect(talk.lines == ["ask", "cancel", "failed malformedAnswer keep"])
    }

    @Test("D9: a range that the target of a redirect refuses is requested from the URL of the transfer")
    func redirected() {
        var talk = Self.continuing()
        talk.head(302, ["Location": "http://h/signed"])
        talk.end()
        talk.part("100-199/300")
        talk.bytes(100)
        talk.end()
        talk.head(403)
        guard case .send(let request)? = talk.machine.ended(nil).first else {
            Issue.record("nothing sent")
            return
        }
        #expect(request.url == "http://h/f.bin" && request.value("Range") == "bytes=200-")
    }

    @Test(
        "D3: a date joins parts if it is earlier than the response's date, or a minute earlier than the local time",
        arguments: [
            ("Thu, 01 Jan 1970 00:00:10 GMT", "Thu, 01 Jan 1970 00:00:11 GMT", 0, true),
            ("Thu, 01 Jan 1970 00:00:10 GMT", "Thu, 01 Jan 1970 00:00:10 GMT", 9999, false),
            ("Thu, 01 Jan 1970 00:00:10 GMT", nil, 70, true), ("Thu, 01 Jan 1970 00:00:10 GMT", nil, 69, false),
            ("Thu, 01 Jan 1970 00:00:10 GMT", "soon", 70, true), ("yesterday", nil, 9999, false),
        ] as [(String, String?, Int64, Bool)])
    func date(modified: String, date: String?, now: Int64, isStrong: Bool) {
        let fields = ["Last-Modified": modified, "Date": date, "ETag": "unquoted"].compactMapValues(\.self)
        let head = ResponseHead(status: 200, fields: fields.map { HeaderField(name: $0.key, value: $0.value) })
        #expect(head.continuingVersion(now: now)?.ifRange == (isStrong ? modified : nil))
    }
}
