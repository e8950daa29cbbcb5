// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

private let placed = ["Upload-Draft-Interop-Version": "8", "Location": "/uploads/1"]

@Suite("Uploads with the draft of resumable uploads")
struct UploadDraftMachineTests {
    @Test("The URL of a 104 is recorded immediately, resolved, and kept after an interruption")
    func remembers() throws {
        var dialogue = UploadDialogue()
        let request = try dialogue.request()
        #expect(request.value("Upload-Complete") == "?1")
        #expect(request.value("Upload-Draft-Interop-Version") == "8")
        dialogue.head(104, placed, bodySent: false)
        #expect(dialogue.remembered == .left(.draft, 0))
        dialogue.head(104, ["Upload-Draft-Interop-Version": "8", "Upload-Offset": "300000"], bodySent: false)
        #expect(dialogue.remembered == .left(.draft, 300_000))
        dialogue.end(.connection, bodySent: false)
        #expect(dialogue.failure == .connection)
        #expect(dialogue.machine.resumePoint == .left(.draft, 300_000))
    }

    @Test(
        "A 104 with another version, no version, or a forbidden URL is ignored",
        arguments: [
            ["Location": "/u"], ["Location": "/u", "Upload-Draft-Interop-Version": "6"],
            ["Location": "ftp://host/u", "Upload-Draft-Interop-Version": "8"], ["Upload-Draft-Interop-Version": "8"],
        ])
    func ignores(fields: [String: String]) {
        var dialogue = UploadDialogue()
        _ = dialogue.sent()
        dialogue.head(104, fields, bodySent: false)
        #expect(dialogue.decided.isEmpty)
        #expect(dialogue.machine.resumePoint == nil)
    }

    @Test("A resumed upload requests the offset and sends the rest, also beyond 4 GiB")
    func goesOn() throws {
        let size: Int64 = 5 << 30
        let upload = UploadResume(kind: .draft, url: "http://host/uploads/1", modified: 7)
        let resume = ResumePoint(upload: upload, offset: 0, total: size)
        var dialogue = UploadDialogue(size: size, resume: resume)
        let offsetRequest = try dialogue.request()
        #expect(offsetRequest.method == "HEAD")
        #expect(offsetRequest.url == "http://host/uploads/1")
        #expect(offsetRequest.value("Upload-Draft-Interop-Version") == "8")
        dialogue.answer(204, ["Upload-Complete": "?0", "Upload-Offset": "5368709110", "Upload-Length": "\(size)"])
        #expect(dialogue.remembered?.offset == 5_368_709_110)
        let append = try dialogue.request()
        #expect(append.method == "PATCH")
        #expect(append.value("Content-Type") == "application/partial-upload")
        #expect(append.value("Upload-Offset") == "5368709110")
        #expect(append.value("Upload-Complete") == "?1")
        #expect(append.value("Content-Length") == "10")
        #expect(append.body == 5_368_709_110..<size)
        dialogue.head(201, ["Upload-Complete": "?1"])
        dialogue.end()
        #expect(dialogue.ending == .responded(status: 201, isCut: false))
    }

    @Test("If all bytes are present but incomplete, an empty part completes the upload; a complete upload ends")
    func atTheEnd() throws {
        var dialogue = UploadDialogue(resume: .left(.draft, 10))
        _ = dialogue.sent()
        dialogue.answer(204, ["Upload-Complete": "?0", "Upload-Offset": "1000000"])
        let append = try dialogue.request()
        #expect(append.body == nil)
        #expect(append.value("Content-Length") == "0")
        var complete = UploadDialogue(resume: .left(.draft, 10))
        _ = complete.sent()
        complete.answer(204, ["Upload-Complete": "?1", "Upload-Offset": "1000000"])
        #expect(complete.ending == .responded(status: 204, isCut: false))
    }

    @Test("A lost upload restarts once", arguments: [400, 403, 404, 410])
    func forgotten(status: Int) throws {
        var dialogue = UploadDialogue(resume: .left(.draft, 10))
        _ = dialogue.sent()
        dialogue.answer(status)
        #expect(dialogue.decided.contains(.restart))
        #expect(dialogue.machine.resumePoint == nil)
        let whole = try dialogue.request()
        #expect(whole.method == "PUT")
        #expect(whole.body == 0..<1_000_000)
        dialogue.head(104, placed, bodySent: false)
        dialogue.end(.connection, bodySent: false)
        #expect(dialogue.failure == .connection)
    }

    @Test(
        "An impossible offset or another length restarts the upload",
        arguments: [
            ["Upload-Offset": "1000001"], ["Upload-Offset": "-1"], [:], ["Upload-Offset": "5", "Upload-Length": "6"],
        ])
    func impossibleOffsets(fields: [String: String]) throws {
        var dialogue = UploadDialogue(resume: .left(.draft, 10))
        _ = dialogue.sent()
        dialogue.answer(204, fields.merging(["Upload-Complete": "?0"]) { $1 })
        #expect(dialogue.decided.contains(.restart))
        let request4 = try dialogue.request()
        #expect(request4.method == "PUT")
    }

    @Test("409 requests the offset again; endless contradictions fail the upload")
    func contradictions() throws {
        var dialogue = UploadDialogue(resume: .left(.draft, 10))
        var offsetRequests = 0
        while offsetRequests < 50, let request = dialogue.sent() {
            if request.method == "HEAD" {
                offsetRequests += 1
                dialogue.answer(204, ["Upload-Complete": "?0", "Upload-Offset": "10"])
            } else {
                dialogue.answer(409)
            }
        }
        #expect(offsetRequests == 2)
        #expect(dialogue.failure == .malformedResponse)
    }

    @Test("503 keeps the server's bytes, unless the server reports that it had all of them")
    func overloaded() {
        for isComplete in [true, false] {
            var dialogue = UploadDialogue(resume: .left(.draft, 10))
            _ = dialogue.sent()
            dialogue.answer(204, ["Upload-Complete": "?0", "Upload-Offset": "10"])
            _ = dialogue.sent()
            dialogue.answer(503, isComplete ? ["Upload-Complete": "?1"] : [:])
            #expect(dialogue.failure == .status(503))
            #expect((dialogue.machine.resumePoint == nil) == isComplete)
        }
    }

    @Test("The remains of another or an unwanted upload are reported as discarded")
    func anotherFile() throws {
        var other = ResumePoint.left(.draft, 10)
        other.upload?.modified = 8
        var dialogue = UploadDialogue(resume: other)
        #expect(dialogue.decided.first == .restart)
        let request5 = try dialogue.request()
        #expect(request5.method == "PUT")
        var unwanted = UploadDialogue(resumption: .never, resume: .left(.draft, 10))
        let request6 = try unwanted.request()
        #expect(request6.method == "PUT")
    }

    @Test("The server's request limit is respected, even if it is announced during a request")
    func parts() throws {
        var dialogue = UploadDialogue()
        _ = dialogue.sent()
        dialogue.head(
            104, placed.merging(["Upload-Limit": "max-age=60, max-append-size=400000;x"]) { $1 }, bodySent: false)
        dialogue.head(413, bodySent: false)
        #expect(dialogue.decided.contains(.cancelRequest))
        dialogue.end(.connection, bodySent: false)
        #expect(try dialogue.request().method == "HEAD")
        dialogue.answer(204, ["Upload-Offset": "100000", "Upload-Complete": "?0"])
        for (range, isLast) in [(100_000..<500_000, false), (500_000..<900_000, false), (900_000..<1_000_000, true)] {
            let append = try dialogue.request()
            #expect(append.body == Int64(range.lowerBound)..<Int64(range.upperBound))
            #expect(append.value("Content-Length") == "\(range.count)")
            #expect(append.value("Upload-Offset") == "\(range.lowerBound)")
            #expect(append.value("Upload-Complete") == (isLast ? "?1" : "?0"))
            // An interim offset does not change the start of the next part.
            dialogue.head(104, ["Upload-Draft-Interop-Version": "8", "Upload-Offset": "\(range.upperBound - 1)"])
            dialogue.answer(isLast ? 201 : 204, isLast ? [:] : ["Upload-Complete": "?0"])
            #expect(dialogue.machine.resumePoint?.offset == Int64(isLast ? range.upperBound - 1 : range.upperBound))
        }
        #expect(dialogue.ending == .responded(status: 201, isCut: false))
    }

    @Test("Limits known before a POST apply to its first request, whose response names the next URL")
    func firstPart() throws {
        var dialogue = UploadDialogue(.post)
        #expect(try dialogue.request().method == "OPTIONS")
        dialogue.answer(200, ["Upload-Limit": "max-append-size=600000"])
        let first = try dialogue.request()
        #expect(first.method == "POST")
        #expect(first.body == 0..<600_000)
        #expect(first.value("Upload-Complete") == "?0")
        dialogue.answer(201, ["Location": "/uploads/1", "Upload-Complete": "?0", "Upload-Offset": "600000"])
        #expect(dialogue.remembered == .left(.draft, 600_000))
        #expect(try dialogue.request().body == 600_000..<1_000_000)
        var lost = UploadDialogue(.post)
        _ = lost.sent()
        lost.answer(200, ["Upload-Limit": "max-append-size=600000"])
        _ = lost.sent()
        lost.answer(201, ["Upload-Complete": "?0"])
        #expect(lost.failure == .malformedResponse)
    }

    @Test(
        "A file that exceeds the server's limit is refused immediately and finally, with the limit",
        arguments: ["Upload-Limit", "Tus-Max-Size"])
    func tooLarge(field: String) throws {
        let value = field == "Upload-Limit" ? "max-append-size=5, max-size=999999" : "999999"
        var dialogue = UploadDialogue(.post)
        _ = dialogue.sent()
        dialogue.answer(200, [field: value])
        guard case .failed(let failure) = dialogue.ending else {
            Issue.record("\(dialogue.decided)")
            return
        }
        #expect(failure.cause == .tooLarge)
        #expect(failure.message.contains("999999") && failure.message.contains("1000000"))
        #expect(dialogue.machine.resumePoint == nil)
        var running = UploadDialogue()
        _ = running.sent()
        running.head(104, placed.merging([field: value]) { $1 }, bodySent: false)
        #expect(running.decided == [.cancelRequest])
        running.end(.connection, bodySent: false)
        #expect(running.failure == .tooLarge)
        // A server that has accepted the upload has said so in its response.
        var accepted = UploadDialogue()
        _ = accepted.sent()
        accepted.answer(201, [field: value])
        #expect(accepted.ending == .responded(status: 201, isCut: false))
    }

    @Test(
        "Invalid limits are ignored",
        arguments: ["", "max-append-size", "max-append-size=0", "max-size=-1", "max-append-size=x"])
    func noLimits(value: String) throws {
        var dialogue = UploadDialogue(.post)
        _ = dialogue.sent()
        dialogue.answer(200, ["Upload-Limit": value])
        #expect(try dialogue.request().body == 0..<1_000_000)
    }

    @Test("An upload URL on another origin receives no secrets")
    func otherOrigin() throws {
        var dialogue = UploadDialogue(resume: .left(.draft, 10, url: "http://storage/uploads/1"))
        let offsetRequest = try dialogue.request()
        #expect(offsetRequest.value("Authorization") == nil)
        #expect(offsetRequest.value("User-Agent") == "test")
    }
}
