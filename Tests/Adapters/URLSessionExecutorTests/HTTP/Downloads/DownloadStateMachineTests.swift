// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

struct DownloadStateMachineTests {
    @Test("A file within the first range needs one request")
    func oneRequest() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.part("0-4/5")
        talk.bytes(5)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "receive 5", "write 5", "finish"])
    }

    @Test("A larger file continues after the first range and is bound to its version")
    func twoRequests() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.part("0-9/30")
        talk.bytes(10)
        talk.end()
        talk.part("10-29/30")
        talk.bytes(20)
        talk.end()
        #expect(
            talk.lines == [
                "ask bytes=0-9", "receive 30", "write 10", "ask bytes=10- if \"a\"", "receive 30", "write 20", "finish",
            ])
    }

    @Test("200 for the first request is stored from offset 0 as it arrives")
    func wholeAtOnce() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(200, ["Content-Length": "7"])
        talk.bytes(7)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "receive 7", "write 7", "finish"])
    }

    @Test("A login page with its own version, or 511, keeps the bytes")
    func loginOnContinue() {
        for status in [200, 511] {
            var talk = DownloadDialogue(DownloadDialogue.plan("http://h/f", offset: 100, total: 300, tag: "\"a\""))
            talk.start()
            talk.head(status, ["Content-Length": "7", "ETag": "\"b\"", "Content-Type": "text/html"])
            talk.end()
            #expect(talk.lines.last == "failed captivePortal keep", "\(talk.lines)")
            #expect(!talk.lines.contains("startOver"))
            #expect(talk.machine.position == 100)
        }
    }

    @Test("A response without a size ends with an orderly end of the connection")
    func unknownSize() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(200, ["Transfer-Encoding": "chunked", "Content-Length": "3"])
        talk.bytes(50)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "receive ?", "write 50", "finish"])
    }

    @Test("A body that ends early is a lost connection, and its bytes are kept")
    func short() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(200, ["Content-Length": "50"])
        talk.bytes(20)
        talk.end()
        #expect(talk.lines.last == "failed connection keep")
        #expect(talk.machine.position == 20)
    }

    @Test("More bytes than the part may have are a fault, and none of them are kept")
    func long() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.part("0-9/30")
        talk.bytes(11)
        talk.end(.connection)
        #expect(talk.lines.suffix(2) == ["cancel", "failed malformedAnswer"])
    }

    @Test("A connection lost before or within the body keeps the present bytes", arguments: [false, true])
    func lost(inBody: Bool) {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        if inBody { talk.part("0-9/30") }
        talk.end(.timeout)
        #expect(talk.lines.last == "failed timeout keep")
    }

    @Test("Interim responses change nothing")
    func interim() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        for _ in 0..<100 { talk.head(103, ["Link": "</x>"]) }
        talk.part("0-4/5")
        talk.bytes(5)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "receive 5", "write 5", "finish"])
    }

    @Test(
        "Final responses end the attempt with their status",
        arguments: [400, 401, 403, 404, 407, 410, 501, 505, 300, 304])
    func responded(status: Int) {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(status)
        talk.bytes(10)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "drop", "answered \(status)"])
    }

    @Test("Temporary statuses fail and keep the bytes", arguments: [408, 425, 429, 500, 502, 503, 504])
    func isTemporary(status: Int) {
        var machine = DownloadStateMachine(plan: DownloadDialogue.plan(offset: 5, total: 9, tag: "\"a\""))
        _ = machine.begin()
        let fields = [HeaderField(name: "retry-after", value: "17")]
        #expect(machine.received(ResponseHead(status: status, fields: fields)) == [])
        guard case .end(.failed(let failure, keepsBytes: true))? = machine.ended(nil).first else {
            Issue.record("did not fail")
            return
        }
        #expect(failure.cause == .status(status))
        #expect(failure.retryAfterSeconds == 17)
        #expect(failure.message.contains("h returned \(status)"))
    }

    @Test("Of the success statuses, only 200, 203, and 206 carry the file", arguments: [201, 202, 204, 205, 207, 226])
    func noFile(status: Int) {
        var plan = DownloadDialogue.plan(offset: 100, total: 300, tag: "\"a\"")
        var talk = DownloadDialogue(plan)
        talk.start()
        talk.head(status, ["Content-Length": "4"])
        talk.bytes(4)
        talk.end()
        #expect(talk.lines.suffix(2) == ["drop", "answered \(status)"])
        #expect(talk.machine.position == 100)
        plan.keepsErrorBody = true
        talk = DownloadDialogue(plan)
        talk.start()
        talk.head(status)
        talk.end()
        #expect(talk.lines.last == "finish")
    }

    @Test("203 carries the file")
    func transformed() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(203, ["Content-Length": "4"])
        talk.bytes(4)
        talk.end()
        #expect(talk.lines.last == "finish")
    }

    @Test("The body of an error becomes the file on request")
    func errorBody() {
        var plan = DownloadDialogue.plan(offset: 100, total: 300, tag: "\"a\"")
        plan.keepsErrorBody = true
        var talk = DownloadDialogue(plan)
        talk.start()
        talk.head(404, ["Content-Length": "4", "Content-Type": "text/html"])
        talk.bytes(4)
        talk.end()
        #expect(talk.lines.suffix(4) == ["startOver", "receive 4", "write 4", "finish"])
    }

    @Test("A long unneeded body is cut off; a short one is read to its end")
    func discarding() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(404)
        for _ in 0..<3 { talk.bytes(30000) }
        talk.bytes(30000)
        talk.end(.connection)
        #expect(talk.lines == ["ask bytes=0-9", "drop", "drop", "cancel", "drop", "answered 404"])
        talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(404, ["Content-Length": "1000000"])
        #expect(talk.lines.last == "cancel")
    }

    @Test("An encoded body is stored completely and never resumed")
    func encoded() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.head(200, ["Content-Length": "20", "Content-Encoding": "gzip", "ETag": "\"a\""])
        talk.bytes(10)
        #expect(talk.machine.expected.version == nil)
        talk.bytes(10)
        talk.end()
        #expect(talk.lines.last == "finish")
    }

    @Test("An encoded body that would be decoded in transit is rejected")
    func encodedWithoutInterposer() {
        var plan = DownloadDialogue.plan()
        plan.deliversEncodedBodies = false
        var talk = DownloadDialogue(plan)
        talk.start()
        talk.head(200, ["Content-Length": "20", "Content-Encoding": "gzip"])
        talk.end(.connection)
        #expect(talk.lines.suffix(2) == ["cancel", "failed encodedBody"])
    }

    @Test("More bytes than allowed are an error, by the head or by the bytes")
    func tooLarge() {
        var plan = DownloadDialogue.plan()
        plan.maximumBytes = 20
        var talk = DownloadDialogue(plan)
        talk.start()
        talk.part("0-9/30")
        talk.end(.connection)
        #expect(talk.lines.suffix(2) == ["cancel", "failed tooLarge"])
        talk = DownloadDialogue(plan)
        talk.start()
        talk.head(200)
        talk.bytes(20)
        talk.bytes(1)
        talk.end(.connection)
        #expect(talk.lines.suffix(3) == ["write 20", "cancel", "failed tooLarge"])
    }

    @Test("A stop ends the request first and then the attempt")
    func stop() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.start()
        talk.part("0-9/30")
        talk.bytes(5)
        talk.record(talk.machine.interrupt(.stopped))
        talk.bytes(5)
        talk.end(.connection)
        talk.record(talk.machine.interrupt(.stopped))
        #expect(talk.lines.suffix(4) == ["write 5", "cancel", "drop", "stopped"])
        #expect(talk.machine.position == 5)
    }

    @Test(
        "A URL that is not http or https is refused before any request",
        arguments: ["ftp://h/x", "file:///x", "x", "http:///x", ""])
    func badURL(url: String) {
        var talk = DownloadDialogue(DownloadDialogue.plan(url))
        talk.start()
        #expect(talk.lines == ["failed unsupportedURL keep"])
    }

    @Test("The user and password of a URL are sent as a field, not in the URL")
    func userInfo() {
        var machine = DownloadStateMachine(plan: DownloadDialogue.plan("https://user:p%40ss@h/f"))
        guard case .send(let request)? = machine.begin().first else {
            Issue.record("nothing sent")
            return
        }
        #expect(request.url == "https://h/f")
        #expect(request.value("Authorization") == "Basic dXNlcjpwQHNz")
        #expect(request.value("Accept-Encoding") == "identity")
        #expect(request.value("User-Agent") == "t")
    }

    @Test("Fields that would break the protocol are omitted")
    func ownFields() {
        var plan = DownloadDialogue.plan()
        plan.request.headers = [
            HeaderField(name: "range", value: "bytes=5-"), HeaderField(name: "X-Mine", value: "1"),
            HeaderField(name: "User-Agent", value: "mine"),
        ]
        var machine = DownloadStateMachine(plan: plan)
        guard case .send(let request)? = machine.begin().first else {
            Issue.record("nothing sent")
            return
        }
        #expect(request.value("Range") == "bytes=0-9")
        #expect(request.value("X-Mine") == "1")
        #expect(request.value("User-Agent") == "mine")
    }
}
