// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

@Suite("the protocol of an upload, plain")
struct UploadStateMachineTests {
    @Test("a PUT is sent at once, whole, with its length and type, and its answer is the end")
    func plainPut() throws {
        var drive = UploadDrive(resumption: .never)
        let request = try drive.request()
        #expect(request.method == "PUT")
        #expect(request.body == 0..<1_000_000)
        #expect(request.value("Content-Length") == "1000000")
        #expect(request.value("Content-Type") == "text/plain")
        #expect(request.value("Upload-Complete") == nil)
        #expect(request.value("Authorization") == "secret")
        drive.head(201)
        drive.end()
        #expect(drive.ending == .answered(status: 201, isCut: false))
    }

    @Test("a file of 0 bytes is sent without a body and with its length")
    func empty() throws {
        var drive = UploadDrive(size: 0)
        let request = try drive.request()
        #expect(request.body == nil)
        #expect(request.value("Content-Length") == "0")
        drive.answer(204)
        #expect(drive.ending == .answered(status: 204, isCut: false))
    }

    @Test("a small file asks for no way to go on, a POST of one asks nobody anything first")
    func small() throws {
        var drive = UploadDrive(.post, size: 65535)
        let request = try drive.request()
        #expect(request.method == "POST")
        #expect(request.value("Upload-Complete") == nil)
    }

    @Test("307 and 308 send the same method and body again, to another origin without what is secret")
    func redirectsWithBody() throws {
        for status in [307, 308] {
            var drive = UploadDrive(.post, resumption: .never)
            _ = drive.sent()
            drive.answer(status, ["Location": "/there"])
            let near = try drive.request()
            #expect(near.url == "http://host/there")
            #expect(near.method == "POST")
            #expect(near.body == 0..<1_000_000)
            #expect(near.value("Authorization") == "secret")
            drive.answer(status, ["Location": "http://other/there"])
            let far = try drive.request()
            #expect(far.body == 0..<1_000_000)
            #expect(far.value("Content-Type") == "text/plain")
            #expect(far.value("Authorization") == nil)
        }
    }

    @Test("301 and 302 make a GET of a POST and leave a PUT as it is, 303 makes a GET of both")
    func redirectsByMethod() throws {
        for status in [301, 302, 303] {
            for method in [UploadSource.Method.put, .post] {
                var drive = UploadDrive(method, resumption: .never)
                _ = drive.sent()
                drive.answer(status, ["Location": "/result"])
                let request = try drive.request()
                let isGet = status == 303 || method == .post
                #expect(request.method == (isGet ? "GET" : method.rawValue), "\(status) \(method)")
                #expect((request.body == nil) == isGet)
                #expect((request.value("Content-Length") == nil) == isGet)
            }
        }
    }

    @Test("what becomes of the page after a 303 does not make the upload be sent again")
    func resultPageFails() {
        for answer in [503, nil] as [Int?] {
            var drive = UploadDrive(.post, resumption: .never)
            _ = drive.sent()
            drive.answer(303, ["Location": "/result"])
            _ = drive.sent()
            if let answer { drive.answer(answer) } else { drive.end(.connection) }
            #expect(drive.ending == .answered(status: 303, isCut: true))
        }
    }

    @Test("a redirect while the body is still being sent cuts that request off first")
    func redirectWhileSending() throws {
        var drive = UploadDrive(resumption: .never)
        _ = drive.sent()
        drive.head(307, ["Location": "/there"], bodySent: false)
        #expect(drive.decided == [.cancelRequest])
        drive.end(.connection, bodySent: false)
        let request1 = try drive.request()
        #expect(request1.url == "http://host/there")
    }

    @Test("a redirect without TLS to another host is a login page, with TLS it is followed; 511 is one anywhere")
    func portals() throws {
        var drive = UploadDrive(resumption: .never)
        _ = drive.sent()
        drive.answer(302, ["Location": "http://login.hotel/"])
        #expect(drive.failure == .captivePortal)
        var safe = UploadDrive(resumption: .never, url: "https://host/file")
        _ = safe.sent()
        safe.answer(302, ["Location": "https://other/file"])
        let request2 = try safe.request()
        #expect(request2.url == "https://other/file")
        var upgraded = UploadDrive(resumption: .never)
        _ = upgraded.sent()
        upgraded.answer(301, ["Location": "https://host/file"])
        let request3 = try upgraded.request()
        #expect(request3.url == "https://host/file")
        var network = UploadDrive(resumption: .never)
        _ = network.sent()
        network.answer(511)
        #expect(network.failure == .captivePortal)
    }

    @Test("a redirect to http, in a circle or past twenty hops is refused")
    func refusedRedirects() throws {
        var down = UploadDrive(resumption: .never, url: "https://host/file")
        _ = down.sent()
        down.answer(307, ["Location": "http://host/file"])
        #expect(down.failure == .redirect)
        var circle = UploadDrive(resumption: .never)
        _ = circle.sent()
        circle.answer(307, ["Location": "/file"])
        #expect(circle.failure == .redirect)
        var chain = UploadDrive(resumption: .never)
        for hop in 0..<20 {
            _ = chain.sent()
            chain.answer(307, ["Location": "/\(hop)"])
        }
        _ = chain.sent()
        chain.answer(307, ["Location": "/more"])
        #expect(chain.failure == .redirect)
    }

    @Test("a refusal is believed though the connection breaks while we send; an approval is not")
    func earlyAnswers() {
        var refused = UploadDrive(resumption: .never)
        _ = refused.sent()
        refused.head(413, bodySent: false)
        refused.end(.connection, bodySent: false)
        #expect(refused.ending == .answered(status: 413, isCut: true))
        var hasty = UploadDrive(resumption: .never)
        _ = hasty.sent()
        hasty.head(200, bodySent: false)
        hasty.end(.connection, bodySent: false)
        #expect(hasty.failure == .connection)
        var late = UploadDrive(resumption: .never)
        _ = late.sent()
        late.head(200)
        late.end(.connection)
        #expect(late.ending == .answered(status: 200, isCut: true))
    }

    @Test("statuses that may pass are failures with the time they ask for, others the end", arguments: [401, 404, 501])
    func statuses(status: Int) {
        for passing in [408, 425, 429, 500, 502, 503, 504] {
            var drive = UploadDrive(resumption: .never)
            _ = drive.sent()
            drive.answer(passing, ["Retry-After": "9"])
            #expect(drive.failure == .status(passing))
            guard case .failed(let failure) = drive.ending else { continue }
            #expect(failure.retryAfterSeconds == 9)
        }
        var drive = UploadDrive(resumption: .never)
        _ = drive.sent()
        drive.answer(status)
        #expect(drive.ending == .answered(status: status, isCut: false))
    }

    @Test("of an answer 1 MiB is kept, as much again is read, and then it is cut off")
    func hugeAnswer() {
        var drive = UploadDrive(resumption: .never)
        _ = drive.sent()
        drive.head(200)
        let decided = [1_000_000, 100_000, 900_000, 200_000, 200_000].map { drive.machine.received(bytes: $0) }
        #expect(decided == [.keep(1_000_000), .keep(48_576), .keep(0), .instead([.cancelRequest]), .keep(0)])
        drive.end(.connection)
        #expect(drive.ending == .answered(status: 200, isCut: true))
    }

    @Test("a stop ends what is under way; after the server's word it keeps that word")
    func stops() {
        /// Returns the directives after a stop that follows an answer with the given status.
        func ending(status: Int?, bodySent: Bool) -> [UploadStateMachine.Directive] {
            var drive = UploadDrive(resumption: .never)
            if let status { drive.head(status, bodySent: bodySent) }
            let first = drive.machine.interrupt(.stopped)
            return first + drive.machine.ended(nil)
        }
        #expect(ending(status: nil, bodySent: false) == [.cancelRequest, .end(.stopped)])
        let answered = UploadStateMachine.Ending.answered(status: 201, isCut: true)
        #expect(ending(status: 201, bodySent: true) == [.cancelRequest, .end(answered)])
        #expect(ending(status: 201, bodySent: false) == [.cancelRequest, .end(.stopped)])
    }

    @Test("neither a file: URL nor one without a host is sent anywhere")
    func unsupported() {
        for url in ["file:///etc/passwd", "http:///x", "host/x"] {
            let drive = UploadDrive(url: url)
            #expect(drive.failure == .unsupportedURL)
        }
    }
}
