// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

@Suite("Plain uploads")
struct UploadStateMachineTests {
    @Test("An upload by PATCH is a single plain request, regardless of the file's size")
    func patch() throws {
        var dialogue = UploadDialogue(.patch)
        let request = try dialogue.request()
        #expect(request.method == "PATCH")
        #expect(request.body == 0..<1_000_000)
        #expect(request.value("Upload-Draft-Interop-Version") == nil && request.value("Upload-Complete") == nil)
        dialogue.answer(204)
        #expect(dialogue.sent() == nil)
    }

    @Test("A PUT is sent immediately and completely, with length and type, and its response is final")
    func plainPut() throws {
        var dialogue = UploadDialogue(resumption: .never)
        let request = try dialogue.request()
        #expect(request.method == "PUT")
        #expect(request.body == 0..<1_000_000)
        #expect(request.value("Content-Length") == "1000000")
        #expect(request.value("Content-Type") == "text/plain")
        #expect(request.value("Upload-Complete") == nil)
        #expect(request.value("Authorization") == "secret")
        dialogue.head(201)
        dialogue.end()
        #expect(dialogue.ending == .responded(status: 201, isCut: false))
    }

    @Test("A file of 0 bytes is sent without a body and with its length")
    func empty() throws {
        var dialogue = UploadDialogue(size: 0)
        let request = try dialogue.request()
        #expect(request.body == nil)
        #expect(request.value("Content-Length") == "0")
        dialogue.answer(204)
        #expect(dialogue.ending == .responded(status: 204, isCut: false))
    }

    @Test("A small file needs no resumption, and its POST needs no preceding request")
    func small() throws {
        var dialogue = UploadDialogue(.post, size: 65535)
        let request = try dialogue.request()
        #expect(request.method == "POST")
        #expect(request.value("Upload-Complete") == nil)
    }

    @Test("307 and 308 repeat the method and body, without secrets for another origin")
    func redirectsWithBody() throws {
        for status in [307, 308] {
            var dialogue = UploadDialogue(.post, resumption: .never)
            _ = dialogue.sent()
            dialogue.answer(status, ["Location": "/there"])
            let near = try dialogue.request()
            #expect(near.url == "http://host/there")
            #expect(near.method == "POST")
            #expect(near.body == 0..<1_000_000)
            #expect(near.value("Authorization") == "secret")
            dialogue.answer(status, ["Location": "http://other/there"])
            let far = try dialogue.request()
            #expect(far.body == 0..<1_000_000)
            #expect(far.value("Content-Type") == "text/plain")
            #expect(far.value("Authorization") == nil)
        }
    }

    @Test("301 and 302 turn a POST into a GET and keep a PUT; 303 turns both into a GET")
    func redirectsByMethod() throws {
        for status in [301, 302, 303] {
            for method in [UploadSource.Method.put, .post] {
                var dialogue = UploadDialogue(method, resumption: .never)
                _ = dialogue.sent()
                dialogue.answer(status, ["Location": "/result"])
                let request = try dialogue.request()
                let isGet = status == 303 || method == .post
                #expect(request.method == (isGet ? "GET" : method.rawValue), "\(status) \(method)")
                #expect((request.body == nil) == isGet)
                #expect((request.value("Content-Length") == nil) == isGet)
            }
        }
    }

    @Test("The result page after a 303 never causes a second upload")
    func resultPageFails() {
        for answer in [503, nil] as [Int?] {
            var dialogue = UploadDialogue(.post, resumption: .never)
            _ = dialogue.sent()
            dialogue.answer(303, ["Location": "/result"])
            _ = dialogue.sent()
            if let answer { dialogue.answer(answer) } else { dialogue.end(.connection) }
            #expect(dialogue.ending == .responded(status: 303, isCut: true))
        }
    }

    @Test("A redirect during the body cuts the request off first")
    func redirectWhileSending() throws {
        var dialogue = UploadDialogue(resumption: .never)
        _ = dialogue.sent()
        dialogue.head(307, ["Location": "/there"], bodySent: false)
        #expect(dialogue.decided == [.cancelRequest])
        dialogue.end(.connection, bodySent: false)
        let request1 = try dialogue.request()
        #expect(request1.url == "http://host/there")
    }

    @Test("A redirect without TLS to another host is a login page, with TLS it is followed; 511 is always one")
    func portals() throws {
        var dialogue = UploadDialogue(resumption: .never, url: "http://a.net/file")
        _ = dialogue.sent()
        dialogue.answer(302, ["Location": "http://login.hotel/"])
        #expect(dialogue.failure == .captivePortal)
        var safe = UploadDialogue(resumption: .never, url: "https://host/file")
        _ = safe.sent()
        safe.answer(302, ["Location": "https://other/file"])
        let request2 = try safe.request()
        #expect(request2.url == "https://other/file")
        var upgraded = UploadDialogue(resumption: .never)
        _ = upgraded.sent()
        upgraded.answer(301, ["Location": "https://host/file"])
        let request3 = try upgraded.request()
        #expect(request3.url == "https://host/file")
        var network = UploadDialogue(resumption: .never)
        _ = network.sent()
        network.answer(511)
        #expect(network.failure == .captivePortal)
    }

    @Test("A redirect to http, in a loop, or beyond twenty hops is refused")
    func refusedRedirects() throws {
        var down = UploadDialogue(resumption: .never, url: "https://host/file")
        _ = down.sent()
        down.answer(307, ["Location": "http://host/file"])
        #expect(down.failure == .redirect)
        var circle = UploadDialogue(resumption: .never)
        _ = circle.sent()
        circle.answer(307, ["Location": "/file"])
        #expect(circle.failure == .redirect)
        var chain = UploadDialogue(resumption: .never)
        for decision in 0..<20 {
            _ = chain.sent()
            chain.answer(307, ["Location": "/\(decision)"])
        }
        _ = chain.sent()
        chain.answer(307, ["Location": "/more"])
        #expect(chain.failure == .redirect)
    }

    @Test("A rejection counts even if the connection breaks during the body; a success does not")
    func earlyResponses() {
        var refused = UploadDialogue(resumption: .never)
        _ = refused.sent()
        refused.head(413, bodySent: false)
        refused.end(.connection, bodySent: false)
        #expect(refused.ending == .responded(status: 413, isCut: true))
        var hasty = UploadDialogue(resumption: .never)
        _ = hasty.sent()
        hasty.head(200, bodySent: false)
        hasty.end(.connection, bodySent: false)
        #expect(hasty.failure == .connection)
        var late = UploadDialogue(resumption: .never)
        _ = late.sent()
        late.head(200)
        late.end(.connection)
        #expect(late.ending == .responded(status: 200, isCut: true))
    }

    @Test(
        "Temporary statuses are failures with the requested delay; other statuses are final",
        arguments: [401, 404, 501])
    func statuses(status: Int) {
        for passing in [408, 425, 429, 500, 502, 503, 504] {
            var dialogue = UploadDialogue(resumption: .never)
            _ = dialogue.sent()
            dialogue.answer(passing, ["Retry-After": "9"])
            #expect(dialogue.failure == .status(passing))
            guard case .failed(let failure) = dialogue.ending else { continue }
            #expect(failure.retryAfterSeconds == 9)
        }
        var dialogue = UploadDialogue(resumption: .never)
        _ = dialogue.sent()
        dialogue.answer(status)
        #expect(dialogue.ending == .responded(status: status, isCut: false))
    }

    @Test("1 MiB of a response is kept, another 1 MiB is read, and the rest is cut off")
    func hugeResponse() {
        var dialogue = UploadDialogue(resumption: .never)
        _ = dialogue.sent()
        dialogue.head(200)
        let decided = [1_000_000, 100_000, 900_000, 200_000, 200_000].map { dialogue.machine.received(bytes: $0) }
        #expect(decided == [.keep(1_000_000), .keep(48_576), .keep(0), .instead([.cancelRequest]), .keep(0)])
        dialogue.end(.connection)
        #expect(dialogue.ending == .responded(status: 200, isCut: true))
    }

    @Test("A stop ends the running request; after the server's response, the response counts")
    func stops() {
        /// Returns the directives after a stop that follows a response with the given status.
        func ending(status: Int?, bodySent: Bool) -> [UploadStateMachine.Directive] {
            var dialogue = UploadDialogue(resumption: .never)
            if let status { dialogue.head(status, bodySent: bodySent) }
            let first = dialogue.machine.interrupt(.stopped)
            return first + dialogue.machine.ended(nil)
        }
        #expect(ending(status: nil, bodySent: false) == [.cancelRequest, .end(.stopped)])
        let responded = UploadStateMachine.Ending.responded(status: 201, isCut: true)
        #expect(ending(status: 201, bodySent: true) == [.cancelRequest, .end(responded)])
        #expect(ending(status: 201, bodySent: false) == [.cancelRequest, .end(.stopped)])
    }

    @Test("Neither a file: URL nor a URL without a host is requested")
    func unsupported() {
        for url in ["file:///etc/passwd", "http:///x", "host/x"] {
            let dialogue = UploadDialogue(url: url)
            #expect(dialogue.failure == .unsupportedURL)
        }
    }
}
