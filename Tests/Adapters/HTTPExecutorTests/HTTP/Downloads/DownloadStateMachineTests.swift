// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

struct DownloadStateMachineTests {
    @Test("D0: a new download is one request without a range, whatever the response says about ranges")
    func oneRequest() {
        for fields in [[:], ["Accept-Ranges": "bytes"], ["Accept-Ranges": "none"], ["ETag": "\"a\""]] {
            var talk = DownloadDialogue(DownloadDialogue.plan())
            talk.start()
            talk.head(200, ["Content-Length": "30"].merging(fields) { $1 })
            talk.bytes(30)
            talk.end()
            #expect(talk.lines == ["ask", "receive 30", "write 30", "finish"])
        }
    }

    @Test("D0: a server that always sends ranges is asked for the next one, bound to its version")
    func ranges() {
        var talk = DownloadDialogue(DownloadDialogue.plan(offset: 10, total: 30, tag: "\"a\""))
        talk.start()
        talk.part("10-19/30")
        talk.bytes(10)
        talk.end()
        talk.part("20-29/30")
        talk.bytes(10)
        talk.end()
        #expect(
            talk.lines == [
                "ask bytes=10- if \"a\"", "receive 30", "write 10", "ask bytes=20- if \"a\"", "receive 30", "write 10",
                "finish",
            ])
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

    @Test("More bytes than allowed are an error, by the head or by the bytes")
    func tooLarge() {
        var plan = DownloadDialogue.plan()
        plan.maximumBytes = 20
        var talk = DownloadDialogue(plan)
        talk.start()
        talk.head(200, ["Content-Length": "30"])
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
        talk.head(200, ["Content-Length": "30"])
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
        #expect(request.value("Range") == nil)
        #expect(request.value("X-Mine") == "1")
        #expect(request.value("User-Agent") == "mine")
    }
}
