// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferPolicy

@testable import URLSessionExecutor

/// Drives the machine: what it wants to send, and what the server says.
struct UploadDrive {
    var machine: UploadStateMachine
    /// What was decided and not looked at yet.
    var decided: [UploadStateMachine.Directive] = []

    init(
        _ method: UploadSource.Method = .put, size: Int64 = 1_000_000, resumption: UploadSource.Resumption = .automatic,
        url: String = "http://host/file", resume: ResumePoint? = nil, change: (inout UploadPlan) -> Void = { _ in }
    ) {
        let source = UploadSource(
            method: method, path: "/tmp/a file", size: size, modified: 7, contentType: "text/plain",
            resumption: resumption)
        let secret = HeaderField(name: "Authorization", value: "secret")
        var plan = UploadPlan(url: url, source: source, headers: [secret], userAgent: "test")
        plan.resume = resume?.upload
        plan.offset = resume?.offset ?? 0
        change(&plan)
        machine = UploadStateMachine(plan: plan)
        decided = machine.begin()
    }

    /// The request that is to be sent now; nil where none is.
    mutating func sent() -> RequestHead? {
        for case .send(let request) in decided {
            decided.removeAll()
            return request
        }
        return nil
    }

    /// The request that is to be sent now.
    mutating func request() throws -> RequestHead {
        let request = sent()
        return try #require(request)
    }

    mutating func head(_ status: Int, _ fields: [String: String] = [:], bodySent: Bool = true) {
        machine.isBodySent = bodySent
        let list = fields.sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) }
        decided += machine.received(ResponseHead(status: status, fields: list))
    }

    mutating func end(_ cause: FailureCause? = nil, bodySent: Bool = true) {
        machine.isBodySent = bodySent
        decided += machine.ended(cause.map { TransferFailure(cause: $0, message: "test") })
    }

    /// A whole answer without a body.
    mutating func answer(_ status: Int, _ fields: [String: String] = [:]) {
        head(status, fields)
        end()
    }

    var ending: UploadStateMachine.Ending? {
        for case .end(let ending) in decided { return ending }
        return nil
    }
    var failure: FailureCause? { if case .failed(let failure) = ending { failure.cause } else { nil } }
    var remembered: ResumePoint? {
        for case .remember(let point) in decided.reversed() { return point }
        return nil
    }
}

private let interop = ["Upload-Draft-Interop-Version": "8"]
private let placed = ["Upload-Draft-Interop-Version": "8", "Location": "/uploads/1"]

private func left(_ kind: UploadResume.Kind, _ offset: Int64, url: String = "http://host/uploads/1") -> ResumePoint {
    ResumePoint(upload: UploadResume(kind: kind, url: url, modified: 7), offset: offset, total: 1_000_000)
}

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
        /// What a stop leads to, after an answer with that head.
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

@Suite("the protocol of an upload by the draft of resumable uploads")
struct UploadDraftMachineTests {
    @Test("the place of a 104 is remembered at once, resolved, and an interruption keeps it")
    func remembers() throws {
        var drive = UploadDrive()
        let request = try drive.request()
        #expect(request.value("Upload-Complete") == "?1")
        #expect(request.value("Upload-Draft-Interop-Version") == "8")
        drive.head(104, placed, bodySent: false)
        #expect(drive.remembered == left(.draft, 0))
        drive.head(104, ["Upload-Draft-Interop-Version": "8", "Upload-Offset": "300000"], bodySent: false)
        #expect(drive.remembered == left(.draft, 300_000))
        drive.end(.connection, bodySent: false)
        #expect(drive.failure == .connection)
        #expect(drive.machine.resumePoint == left(.draft, 300_000))
    }

    @Test(
        "a 104 of another version, of none, or that leads where none may go is not believed",
        arguments: [
            ["Location": "/u"], ["Location": "/u", "Upload-Draft-Interop-Version": "6"],
            ["Location": "ftp://host/u", "Upload-Draft-Interop-Version": "8"], ["Upload-Draft-Interop-Version": "8"],
        ])
    func ignores(fields: [String: String]) {
        var drive = UploadDrive()
        _ = drive.sent()
        drive.head(104, fields, bodySent: false)
        #expect(drive.decided.isEmpty)
        #expect(drive.machine.resumePoint == nil)
    }

    @Test("going on asks how much is there and sends the rest, past 4 GiB too")
    func goesOn() throws {
        let size: Int64 = 5 << 30
        let upload = UploadResume(kind: .draft, url: "http://host/uploads/1", modified: 7)
        let resume = ResumePoint(upload: upload, offset: 0, total: size)
        var drive = UploadDrive(size: size, resume: resume)
        let question = try drive.request()
        #expect(question.method == "HEAD")
        #expect(question.url == "http://host/uploads/1")
        #expect(question.value("Upload-Draft-Interop-Version") == "8")
        drive.answer(204, ["Upload-Complete": "?0", "Upload-Offset": "5368709110", "Upload-Length": "\(size)"])
        #expect(drive.remembered?.offset == 5_368_709_110)
        let append = try drive.request()
        #expect(append.method == "PATCH")
        #expect(append.value("Content-Type") == "application/partial-upload")
        #expect(append.value("Upload-Offset") == "5368709110")
        #expect(append.value("Upload-Complete") == "?1")
        #expect(append.value("Content-Length") == "10")
        #expect(append.body == 5_368_709_110..<size)
        drive.head(201, ["Upload-Complete": "?1"])
        drive.end()
        #expect(drive.ending == .answered(status: 201, isCut: false))
    }

    @Test("all there but not complete: an empty part completes it; complete: it is over")
    func atTheEnd() throws {
        var drive = UploadDrive(resume: left(.draft, 10))
        _ = drive.sent()
        drive.answer(204, ["Upload-Complete": "?0", "Upload-Offset": "1000000"])
        let append = try drive.request()
        #expect(append.body == nil)
        #expect(append.value("Content-Length") == "0")
        var complete = UploadDrive(resume: left(.draft, 10))
        _ = complete.sent()
        complete.answer(204, ["Upload-Complete": "?1", "Upload-Offset": "1000000"])
        #expect(complete.ending == .answered(status: 204, isCut: false))
    }

    @Test("a forgotten upload starts over, once", arguments: [400, 403, 404, 410])
    func forgotten(status: Int) throws {
        var drive = UploadDrive(resume: left(.draft, 10))
        _ = drive.sent()
        drive.answer(status)
        #expect(drive.decided.contains(.startOver))
        #expect(drive.machine.resumePoint == nil)
        let whole = try drive.request()
        #expect(whole.method == "PUT")
        #expect(whole.body == 0..<1_000_000)
        drive.head(104, placed, bodySent: false)
        drive.end(.connection, bodySent: false)
        #expect(drive.failure == .connection)
    }

    @Test(
        "an offset that cannot be, or another length, starts over",
        arguments: [
            ["Upload-Offset": "1000001"], ["Upload-Offset": "-1"], [:], ["Upload-Offset": "5", "Upload-Length": "6"],
        ])
    func impossibleOffsets(fields: [String: String]) throws {
        var drive = UploadDrive(resume: left(.draft, 10))
        _ = drive.sent()
        drive.answer(204, fields.merging(["Upload-Complete": "?0"]) { $1 })
        #expect(drive.decided.contains(.startOver))
        let request4 = try drive.request()
        #expect(request4.method == "PUT")
    }

    @Test("409 asks anew; a server that contradicts itself for ever is given up")
    func contradictions() throws {
        var drive = UploadDrive(resume: left(.draft, 10))
        var questions = 0
        while let request = drive.sent() {
            if request.method == "HEAD" {
                questions += 1
                drive.answer(204, ["Upload-Complete": "?0", "Upload-Offset": "10"])
            } else {
                drive.answer(409)
            }
        }
        #expect(questions == 2)
        #expect(drive.failure == .malformedAnswer)
    }

    @Test("503 keeps what the server has, unless it says that it had all")
    func overloaded() {
        for isComplete in [true, false] {
            var drive = UploadDrive(resume: left(.draft, 10))
            _ = drive.sent()
            drive.answer(204, ["Upload-Complete": "?0", "Upload-Offset": "10"])
            _ = drive.sent()
            drive.answer(503, isComplete ? ["Upload-Complete": "?1"] : [:])
            #expect(drive.failure == .status(503))
            #expect((drive.machine.resumePoint == nil) == isComplete)
        }
    }

    @Test("what was left of another file, or is not wanted, is told to be given up")
    func anotherFile() throws {
        var other = left(.draft, 10)
        other.upload?.modified = 8
        var drive = UploadDrive(resume: other)
        #expect(drive.decided.first == .startOver)
        let request5 = try drive.request()
        #expect(request5.method == "PUT")
        var unwanted = UploadDrive(resumption: .never, resume: left(.draft, 10))
        let request6 = try unwanted.request()
        #expect(request6.method == "PUT")
    }

    @Test("a place on another origin gets no secrets")
    func otherOrigin() throws {
        var drive = UploadDrive(resume: left(.draft, 10, url: "http://storage/uploads/1"))
        let question = try drive.request()
        #expect(question.value("Authorization") == nil)
        #expect(question.value("User-Agent") == "test")
    }
}

@Suite("the protocol of an upload by tus")
struct UploadTusMachineTests {
    private let offers = ["Tus-Version": "1.0.0,0.2.2", "Tus-Extension": "creation,checksum"]

    @Test("a POST asks by OPTIONS, makes a place with name and type, and sends all to it")
    func creates() throws {
        var drive = UploadDrive(.post)
        let discovery = try drive.request()
        #expect(discovery.method == "OPTIONS")
        #expect(discovery.value("Tus-Resumable") == nil)
        drive.answer(204, offers)
        let creation = try drive.request()
        #expect(creation.method == "POST")
        #expect(creation.value("Upload-Length") == "1000000")
        #expect(creation.value("Content-Length") == "0")
        #expect(creation.value("Upload-Metadata") == "filename YSBmaWxl,filetype dGV4dC9wbGFpbg==")
        drive.answer(201, ["Location": "uploads/1"])
        #expect(drive.remembered == left(.tus, 0))
        let append = try drive.request()
        #expect(append.method == "PATCH")
        #expect(append.value("Content-Type") == "application/offset+octet-stream")
        #expect(append.fields.count { $0.name == "Content-Type" } == 1)
        #expect(append.body == 0..<1_000_000)
        drive.answer(204, ["Upload-Offset": "1000000"])
        #expect(drive.ending == .answered(status: 204, isCut: false))
    }

    @Test(
        "a server that does not speak tus, or drops what it does not know, gets the upload itself",
        arguments: [(204, [:]), (200, ["Tus-Version": "0.2.2"]), (405, [:]), (404, ["Tus-Version": "1.0.0"])])
    func isNotSpoken(status: Int, fields: [String: String]) throws {
        var drive = UploadDrive(.post)
        _ = drive.sent()
        drive.answer(status, fields)
        let whole = try drive.request()
        #expect(whole.method == "POST")
        #expect(whole.value("Upload-Complete") == "?1")
        #expect(whole.body == 0..<1_000_000)
        var dropped = UploadDrive(.post)
        _ = dropped.sent()
        dropped.end(.connection)
        let request7 = try dropped.request()
        #expect(request7.method == "POST")
        var untrusted = UploadDrive(.post)
        _ = untrusted.sent()
        untrusted.end(.certificate)
        #expect(untrusted.failure == .certificate)
    }

    @Test("going on asks for the offset; all there is the end, a lock a failure that passes, 404 a new place")
    func goesOn() throws {
        var drive = UploadDrive(.post, resume: left(.tus, 10))
        let question = try drive.request()
        #expect(question.method == "HEAD")
        #expect(question.value("Tus-Resumable") == "1.0.0")
        drive.answer(200, ["Upload-Offset": "600000", "Upload-Length": "1000000"])
        let request8 = try drive.request()
        #expect(request8.body == 600_000..<1_000_000)
        var done = UploadDrive(.post, resume: left(.tus, 10))
        _ = done.sent()
        done.answer(200, ["Upload-Offset": "1000000"])
        #expect(done.ending == .answered(status: 200, isCut: false))
        var locked = UploadDrive(.post, resume: left(.tus, 10))
        _ = locked.sent()
        locked.answer(423)
        #expect(locked.failure == .status(423))
        #expect(locked.machine.resumePoint == left(.tus, 10))
        var gone = UploadDrive(.post, resume: left(.tus, 10))
        _ = gone.sent()
        gone.answer(410)
        #expect(gone.decided.contains(.startOver))
        let request9 = try gone.request()
        #expect(request9.method == "OPTIONS")
    }

    @Test("a part that was taken only half is followed by the other half")
    func halfTaken() throws {
        var drive = UploadDrive(.post, resume: left(.tus, 10))
        _ = drive.sent()
        drive.answer(200, ["Upload-Offset": "100"])
        _ = drive.sent()
        drive.answer(204, ["Upload-Offset": "500"])
        let request10 = try drive.request()
        #expect(request10.body == 500..<1_000_000)
    }

    @Test("a place without a URL, or one that may not be asked, is a malformed answer")
    func placeless() {
        for fields in [[:], ["Location": "ftp://host/1"]] {
            var drive = UploadDrive(.post)
            _ = drive.sent()
            drive.answer(204, offers)
            _ = drive.sent()
            drive.answer(201, fields)
            #expect(drive.failure == .malformedAnswer)
        }
    }
}
