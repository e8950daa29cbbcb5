// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

struct DownloadStateMachineTests {
    @Test("a file within the first range needs one request")
    func oneRequest() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.part("0-4/5")
        talk.bytes(5)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "receive 5", "write 5", "finish"])
    }

    @Test("a larger file is continued after the first range, bound to its version")
    func twoRequests() {
        var talk = Dialogue(Dialogue.plan())
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

    @Test("200 to the first request is streamed from 0 as it comes")
    func wholeAtOnce() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.head(200, ["Content-Length": "7"])
        talk.bytes(7)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "receive 7", "write 7", "finish"])
    }

    @Test("a login page with a version of its own, or 511, leaves the bytes alone")
    func loginOnContinue() {
        for status in [200, 511] {
            var talk = Dialogue(Dialogue.plan("http://h/f", offset: 100, total: 300, tag: "\"a\""))
            talk.start()
            talk.head(status, ["Content-Length": "7", "ETag": "\"b\"", "Content-Type": "text/html"])
            talk.end()
            #expect(talk.lines.last == "failed captivePortal keep", "\(talk.lines)")
            #expect(!talk.lines.contains("startOver"))
            #expect(talk.machine.position == 100)
        }
    }

    @Test("an answer without a size ends with its connection's orderly end")
    func unknownSize() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.head(200, ["Transfer-Encoding": "chunked", "Content-Length": "3"])
        talk.bytes(50)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "receive ?", "write 50", "finish"])
    }

    @Test("a body that ends early is a lost connection, and its bytes are kept")
    func short() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.head(200, ["Content-Length": "50"])
        talk.bytes(20)
        talk.end()
        #expect(talk.lines.last == "failed connection keep")
        #expect(talk.machine.position == 20)
    }

    @Test("more bytes than a part may have are a fault, and none of them is kept")
    func long() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.part("0-9/30")
        talk.bytes(11)
        talk.end(.connection)
        #expect(talk.lines.suffix(2) == ["cancel", "failed malformedAnswer"])
    }

    @Test("a lost connection before and in the body keeps what is there", arguments: [false, true])
    func lost(inBody: Bool) {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        if inBody { talk.part("0-9/30") }
        talk.end(.timeout)
        #expect(talk.lines.last == "failed timeout keep")
    }

    @Test("interim answers change nothing")
    func interim() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        for _ in 0..<100 { talk.head(103, ["Link": "</x>"]) }
        talk.part("0-4/5")
        talk.bytes(5)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "receive 5", "write 5", "finish"])
    }

    @Test("final answers end with their status", arguments: [400, 401, 403, 404, 407, 410, 501, 505, 300, 304])
    func answered(status: Int) {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.head(status)
        talk.bytes(10)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "drop", "answered \(status)"])
    }

    @Test("statuses that may pass fail and keep the bytes", arguments: [408, 425, 429, 500, 502, 503, 504])
    func mayPass(status: Int) {
        var machine = DownloadStateMachine(plan: Dialogue.plan(offset: 5, total: 9, tag: "\"a\""))
        _ = machine.begin()
        let fields = [HeaderField(name: "retry-after", value: "17")]
        #expect(machine.received(ResponseHead(status: status, fields: fields)) == [])
        guard case .end(.failed(let failure, keepsBytes: true))? = machine.ended(nil).first else {
            Issue.record("did not fail")
            return
        }
        #expect(failure.cause == .status(status))
        #expect(failure.retryAfterSeconds == 17)
        #expect(failure.message.contains("h answered \(status)"))
    }

    @Test("of the good answers only 200, 203 and 206 carry the file", arguments: [201, 202, 204, 205, 207, 226])
    func noFile(status: Int) {
        var plan = Dialogue.plan(offset: 100, total: 300, tag: "\"a\"")
        var talk = Dialogue(plan)
        talk.start()
        talk.head(status, ["Content-Length": "4"])
        talk.bytes(4)
        talk.end()
        #expect(talk.lines.suffix(2) == ["drop", "answered \(status)"])
        #expect(talk.machine.position == 100)
        plan.keepsErrorBody = true
        talk = Dialogue(plan)
        talk.start()
        talk.head(status)
        talk.end()
        #expect(talk.lines.last == "finish")
    }

    @Test("203 carries the file")
    func transformed() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.head(203, ["Content-Length": "4"])
        talk.bytes(4)
        talk.end()
        #expect(talk.lines.last == "finish")
    }

    @Test("an error's body becomes the file where that was asked for")
    func errorBody() {
        var plan = Dialogue.plan(offset: 100, total: 300, tag: "\"a\"")
        plan.keepsErrorBody = true
        var talk = Dialogue(plan)
        talk.start()
        talk.head(404, ["Content-Length": "4", "Content-Type": "text/html"])
        talk.bytes(4)
        talk.end()
        #expect(talk.lines.suffix(4) == ["startOver", "receive 4", "write 4", "finish"])
    }

    @Test("a long body that is not wanted is cut off, a short one read to its end")
    func discarding() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.head(404)
        for _ in 0..<3 { talk.bytes(30000) }
        talk.bytes(30000)
        talk.end(.connection)
        #expect(talk.lines == ["ask bytes=0-9", "drop", "drop", "cancel", "drop", "answered 404"])
        talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.head(404, ["Content-Length": "1000000"])
        #expect(talk.lines.last == "cancel")
    }

    @Test("an encoded body is taken whole and never continued")
    func encoded() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.head(200, ["Content-Length": "20", "Content-Encoding": "gzip", "ETag": "\"a\""])
        talk.bytes(10)
        #expect(talk.machine.expected.version == nil)
        talk.bytes(10)
        talk.end()
        #expect(talk.lines.last == "finish")
    }

    @Test("an encoded body that would be decoded on the way is refused")
    func encodedWithoutRepair() {
        var plan = Dialogue.plan()
        plan.deliversEncodedBodies = false
        var talk = Dialogue(plan)
        talk.start()
        talk.head(200, ["Content-Length": "20", "Content-Encoding": "gzip"])
        talk.end(.connection)
        #expect(talk.lines.suffix(2) == ["cancel", "failed encodedBody"])
    }

    @Test("more bytes than allowed are an error, by the head and by the bytes")
    func tooLarge() {
        var plan = Dialogue.plan()
        plan.maximumBytes = 20
        var talk = Dialogue(plan)
        talk.start()
        talk.part("0-9/30")
        talk.end(.connection)
        #expect(talk.lines.suffix(2) == ["cancel", "failed tooLarge"])
        talk = Dialogue(plan)
        talk.start()
        talk.head(200)
        talk.bytes(20)
        talk.bytes(1)
        talk.end(.connection)
        #expect(talk.lines.suffix(3) == ["write 20", "cancel", "failed tooLarge"])
    }

    @Test("a stop ends the request first, and then the attempt")
    func stop() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.part("0-9/30")
        talk.bytes(5)
        talk.note(talk.machine.interrupt(.stopped))
        talk.bytes(5)
        talk.end(.connection)
        talk.note(talk.machine.interrupt(.stopped))
        #expect(talk.lines.suffix(4) == ["write 5", "cancel", "drop", "stopped"])
        #expect(talk.machine.position == 5)
    }

    @Test(
        "a URL that is not http or https is refused before any request",
        arguments: ["ftp://h/x", "file:///x", "x", "http:///x", ""])
    func badURL(url: String) {
        var talk = Dialogue(Dialogue.plan(url))
        talk.start()
        #expect(talk.lines == ["failed unsupportedURL keep"])
    }

    @Test("user and password of a URL are sent as a field, not in the URL")
    func userInfo() {
        var machine = DownloadStateMachine(plan: Dialogue.plan("https://user:p%40ss@h/f"))
        guard case .send(let request)? = machine.begin().first else {
            Issue.record("nothing sent")
            return
        }
        #expect(request.url == "https://h/f")
        #expect(request.value("Authorization") == "Basic dXNlcjpwQHNz")
        #expect(request.value("Accept-Encoding") == "identity")
        #expect(request.value("User-Agent") == "t")
    }

    @Test("fields that would break the protocol are not taken over")
    func ownFields() {
        var plan = Dialogue.plan()
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
