// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

/// Runs the machine on short scripts and reads what it does as short lines.
struct Dialogue {
    var machine: DownloadStateMachine
    var lines: [String] = []

    init(_ plan: DownloadPlan) { machine = DownloadStateMachine(plan: plan) }

    static func plan(_ url: String = "http://h/f.bin", offset: Int64 = 0, total: Int64? = nil, tag: String? = nil)
        -> DownloadPlan
    {
        var plan = DownloadPlan(request: RequestPlan(url: url, headers: [], userAgent: "t"))
        plan.firstRequestBytes = 10
        plan.offset = offset
        plan.total = total
        plan.validator = tag.map { Validator(entityTag: $0, lastModified: nil) }
        return plan
    }

    mutating func note(_ directives: [DownloadStateMachine.Directive]) {
        for directive in directives {
            switch directive {
            case .send(let request):
                let parts = [request.value("Range"), request.value("If-Range").map { "if \($0)" }].compactMap { $0 }
                lines.append((["ask"] + parts).joined(separator: " "))
            case .cancelRequest: lines.append("cancel")
            case .sendSegment(let id, let request): lines.append("ask \(id) \(request.value("Range") ?? "")")
            case .cancelSegment(let id): lines.append("cancel \(id)")
            case .startOver: lines.append("startOver")
            case .receive(let file): lines.append("receive \(file.total.map(String.init) ?? "?")")
            case .finish: lines.append("finish")
            case .end(.failed(let failure, let keeps)):
                lines.append("failed \(failure.cause.code)\(keeps ? " keep" : "")")
            case .end(.answered(let status)): lines.append("answered \(status)")
            case .end(.alreadyComplete(let status)): lines.append("already \(status)")
            case .end(.challenged): lines.append("challenged")
            case .end(.stopped): lines.append("stopped")
            }
        }
    }

    mutating func start() { note(machine.start()) }
    mutating func head(_ status: Int, _ fields: [String: String] = [:]) {
        let list = fields.sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) }
        note(machine.received(ResponseHead(status: status, fields: list)))
    }
    mutating func bytes(_ count: Int) {
        switch machine.received(bytes: count) {
        case .keep(let count): lines.append("write \(count)")
        case .drop: lines.append("drop")
        case .instead(let directives): note(directives)
        }
    }
    mutating func end(_ cause: FailureCause? = nil) {
        note(machine.ended(cause.map { TransferFailure(cause: $0, message: "") }))
    }
    mutating func part(_ range: String, tag: String? = "\"a\"", _ more: [String: String] = [:]) {
        head(
            206,
            ["Content-Range": "bytes \(range)"].merging(tag.map { ["ETag": $0] } ?? [:]) { $1 }.merging(more) { $1 })
    }
}

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

    @Test("a server that cuts ranges short is asked again until all is there")
    func cutRanges() {
        var talk = Dialogue(Dialogue.plan())
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

    @Test("200 to the first request is streamed from 0 as it comes")
    func wholeAtOnce() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.head(200, ["Content-Length": "7"])
        talk.bytes(7)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "receive 7", "write 7", "finish"])
    }

    @Test("200 to a continuation starts over on the same answer")
    func changedOnContinue() {
        var talk = Dialogue(Dialogue.plan(offset: 100, total: 300, tag: "\"a\""))
        talk.start()
        talk.head(200, ["Content-Length": "7", "ETag": "\"b\""])
        talk.bytes(7)
        talk.end()
        #expect(talk.lines == ["ask bytes=100-109 if \"a\"", "startOver", "receive 7", "write 7", "finish"])
        #expect(talk.machine.expected.version?.entityTag == "\"b\"")
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

    @Test(
        "a 206 that does not fit exactly is given up for the whole file",
        arguments: [
            ("90-109/300", "\"a\"", nil), ("101-110/300", "\"a\"", nil), ("100-109/301", "\"a\"", nil),
            ("100-109/300", "\"b\"", nil), ("100-109/300", nil, nil), ("100-109/*", "\"a\"", nil),
            ("109-100/300", "\"a\"", nil), ("100-300/300", "\"a\"", nil), ("nonsense", "\"a\"", nil),
            ("100-109/300", "W/\"a\"", nil), ("100-109/300", "\"a\"", "gzip"),
        ] as [(String, String?, String?)])
    func wrongPart(range: String, tag: String?, coding: String?) {
        var talk = Dialogue(Dialogue.plan(offset: 100, total: 300, tag: "\"a\""))
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

    @Test("a version that changes between the two requests is never mixed")
    func changedBetween() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.part("0-9/30")
        talk.bytes(10)
        talk.end()
        talk.part("10-29/30", tag: "\"b\"")
        talk.end()
        #expect(talk.lines.suffix(2) == ["startOver", "ask"])
    }

    @Test("206 to a request without a range is a fault of the server, not a loop")
    func partToWhole() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.part("5-9/30")
        talk.end()
        talk.part("0-9/30")
        talk.end(.connection)
        #expect(talk.lines == ["ask bytes=0-9", "ask", "cancel", "failed malformedAnswer keep"])
    }

    @Test("without a version the second request fetches everything, and nothing of the first is kept")
    func noVersion() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.part("0-9/30", tag: nil)
        talk.bytes(10)
        talk.end()
        talk.head(200, ["Content-Length": "30"])
        talk.bytes(30)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "drop", "ask", "receive 30", "write 30", "finish"])
    }

    @Test("a partial file without a version is not continued")
    func resumeWithoutVersion() {
        var talk = Dialogue(Dialogue.plan(offset: 100, total: 300))
        talk.start()
        #expect(talk.lines == ["startOver", "ask bytes=0-9"])
    }

    @Test("a weak tag alone is no version to continue with")
    func weakTag() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.part("0-9/30", tag: "W/\"a\"")
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "ask"])
    }

    @Test(
        "a date is a version when it lies a second before the answer's",
        arguments: [
            ("Sat, 01 Aug 2026 11:59:59 GMT", "ask bytes=10- if Sat, 01 Aug 2026 11:59:59 GMT"),
            ("Sat, 01 Aug 2026 12:00:00 GMT", "ask"),
        ])
    func dates(modified: String, expected: String) {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.part("0-9/30", tag: nil, ["Last-Modified": modified, "Date": "Sat, 01 Aug 2026 12:00:00 GMT"])
        talk.bytes(10)
        talk.end()
        #expect(talk.lines.last == expected)
    }

    @Test(
        "416 with the full size there is the end, any other starts over",
        arguments: [
            ("bytes */100", "\"a\"", ["finish"]), ("bytes */100", nil, ["finish"]),
            ("bytes */99", "\"a\"", ["startOver", "ask"]), ("bytes */100", "\"b\"", ["startOver", "ask"]),
            (nil, nil, ["startOver", "ask"]),
        ] as [(String?, String?, [String])])
    func rangeNotSatisfiable(range: String?, tag: String?, expected: [String]) {
        var talk = Dialogue(Dialogue.plan(offset: 100, total: 100, tag: "\"a\""))
        talk.start()
        var fields: [String: String] = [:]
        fields["Content-Range"] = range
        fields["ETag"] = tag
        talk.head(416, fields)
        talk.end()
        #expect(talk.lines == ["ask bytes=100-109 if \"a\""] + expected)
    }

    @Test("416 on an empty file is asked again without a range")
    func emptyFile() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.head(416, ["Content-Range": "bytes */0"])
        talk.end()
        talk.head(200, ["Content-Length": "0"])
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "ask", "receive 0", "finish"])
    }

    @Test("416 to a request without a range is an answer like any other")
    func rangeRefusedForWhole() {
        var talk = Dialogue(Dialogue.plan())
        talk.start()
        talk.head(416)
        talk.end()
        talk.head(416)
        talk.end()
        #expect(talk.lines == ["ask bytes=0-9", "ask", "answered 416"])
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
        _ = machine.start()
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
        guard case .send(let request)? = machine.start().first else {
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
        guard case .send(let request)? = machine.start().first else {
            Issue.record("nothing sent")
            return
        }
        #expect(request.value("Range") == "bytes=0-9")
        #expect(request.value("X-Mine") == "1")
        #expect(request.value("User-Agent") == "mine")
    }
}
