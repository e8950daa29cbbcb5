// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

private let placed = ["Upload-Draft-Interop-Version": "8", "Location": "/uploads/1"]

@Suite("the protocol of an upload by the draft of resumable uploads")
struct UploadDraftMachineTests {
    @Test("the place of a 104 is remembered at once, resolved, and an interruption keeps it")
    func remembers() throws {
        var drive = UploadDrive()
        let request = try drive.request()
        #expect(request.value("Upload-Complete") == "?1")
        #expect(request.value("Upload-Draft-Interop-Version") == "8")
        drive.head(104, placed, bodySent: false)
        #expect(drive.remembered == .left(.draft, 0))
        drive.head(104, ["Upload-Draft-Interop-Version": "8", "Upload-Offset": "300000"], bodySent: false)
        #expect(drive.remembered == .left(.draft, 300_000))
        drive.end(.connection, bodySent: false)
        #expect(drive.failure == .connection)
        #expect(drive.machine.resumePoint == .left(.draft, 300_000))
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
        var drive = UploadDrive(resume: .left(.draft, 10))
        _ = drive.sent()
        drive.answer(204, ["Upload-Complete": "?0", "Upload-Offset": "1000000"])
        let append = try drive.request()
        #expect(append.body == nil)
        #expect(append.value("Content-Length") == "0")
        var complete = UploadDrive(resume: .left(.draft, 10))
        _ = complete.sent()
        complete.answer(204, ["Upload-Complete": "?1", "Upload-Offset": "1000000"])
        #expect(complete.ending == .answered(status: 204, isCut: false))
    }

    @Test("a forgotten upload starts over, once", arguments: [400, 403, 404, 410])
    func forgotten(status: Int) throws {
        var drive = UploadDrive(resume: .left(.draft, 10))
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
        var drive = UploadDrive(resume: .left(.draft, 10))
        _ = drive.sent()
        drive.answer(204, fields.merging(["Upload-Complete": "?0"]) { $1 })
        #expect(drive.decided.contains(.startOver))
        let request4 = try drive.request()
        #expect(request4.method == "PUT")
    }

    @Test("409 asks anew; a server that contradicts itself for ever is given up")
    func contradictions() throws {
        var drive = UploadDrive(resume: .left(.draft, 10))
        var questions = 0
        while questions < 50, let request = drive.sent() {
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
            var drive = UploadDrive(resume: .left(.draft, 10))
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
        var other = ResumePoint.left(.draft, 10)
        other.upload?.modified = 8
        var drive = UploadDrive(resume: other)
        #expect(drive.decided.first == .startOver)
        let request5 = try drive.request()
        #expect(request5.method == "PUT")
        var unwanted = UploadDrive(resumption: .never, resume: .left(.draft, 10))
        let request6 = try unwanted.request()
        #expect(request6.method == "PUT")
    }

    @Test("what the server takes at once is not exceeded, also where it says so only while it is sent too much")
    func parts() throws {
        var drive = UploadDrive()
        _ = drive.sent()
        drive.head(
            104, placed.merging(["Upload-Limit": "max-age=60, max-append-size=400000;x"]) { $1 }, bodySent: false)
        drive.head(413, bodySent: false)
        #expect(drive.decided.contains(.cancelRequest))
        drive.end(.connection, bodySent: false)
        #expect(try drive.request().method == "HEAD")
        drive.answer(204, ["Upload-Offset": "100000", "Upload-Complete": "?0"])
        for (range, isLast) in [(100_000..<500_000, false), (500_000..<900_000, false), (900_000..<1_000_000, true)] {
            let append = try drive.request()
            #expect(append.body == Int64(range.lowerBound)..<Int64(range.upperBound))
            #expect(append.value("Content-Length") == "\(range.count)")
            #expect(append.value("Upload-Offset") == "\(range.lowerBound)")
            #expect(append.value("Upload-Complete") == (isLast ? "?1" : "?0"))
            // An interim offset does not change the start of the next part.
            drive.head(104, ["Upload-Draft-Interop-Version": "8", "Upload-Offset": "\(range.upperBound - 1)"])
            drive.answer(isLast ? 201 : 204, isLast ? [:] : ["Upload-Complete": "?0"])
            #expect(drive.machine.resumePoint?.offset == Int64(isLast ? range.upperBound - 1 : range.upperBound))
        }
        #expect(drive.ending == .answered(status: 201, isCut: false))
    }

    @Test("limits known before a POST hold for its first request, whose answer tells where the rest goes")
    func firstPart() throws {
        var drive = UploadDrive(.post)
        #expect(try drive.request().method == "OPTIONS")
        drive.answer(200, ["Upload-Limit": "max-append-size=600000"])
        let first = try drive.request()
        #expect(first.method == "POST")
        #expect(first.body == 0..<600_000)
        #expect(first.value("Upload-Complete") == "?0")
        drive.answer(201, ["Location": "/uploads/1", "Upload-Complete": "?0", "Upload-Offset": "600000"])
        #expect(drive.remembered == .left(.draft, 600_000))
        #expect(try drive.request().body == 600_000..<1_000_000)
        var lost = UploadDrive(.post)
        _ = lost.sent()
        lost.answer(200, ["Upload-Limit": "max-append-size=600000"])
        _ = lost.sent()
        lost.answer(201, ["Upload-Complete": "?0"])
        #expect(lost.failure == .malformedAnswer)
    }

    @Test(
        "a file larger than the server takes is refused at once, for good, and says how much it takes",
        arguments: ["Upload-Limit", "Tus-Max-Size"])
    func tooLarge(field: String) throws {
        let value = field == "Upload-Limit" ? "max-append-size=5, max-size=999999" : "999999"
        var drive = UploadDrive(.post)
        _ = drive.sent()
        drive.answer(200, [field: value])
        guard case .failed(let failure) = drive.ending else {
            Issue.record("\(drive.decided)")
            return
        }
        #expect(failure.cause == .tooLarge)
        #expect(failure.message.contains("999999") && failure.message.contains("1000000"))
        #expect(drive.machine.resumePoint == nil)
        var running = UploadDrive()
        _ = running.sent()
        running.head(104, placed.merging([field: value]) { $1 }, bodySent: false)
        #expect(running.decided == [.cancelRequest])
        running.end(.connection, bodySent: false)
        #expect(running.failure == .tooLarge)
        // A server that has accepted the upload has said so in its answer.
        var taken = UploadDrive()
        _ = taken.sent()
        taken.answer(201, [field: value])
        #expect(taken.ending == .answered(status: 201, isCut: false))
    }

    @Test(
        "limits that make no sense are none",
        arguments: ["", "max-append-size", "max-append-size=0", "max-size=-1", "max-append-size=x"])
    func noLimits(value: String) throws {
        var drive = UploadDrive(.post)
        _ = drive.sent()
        drive.answer(200, ["Upload-Limit": value])
        #expect(try drive.request().body == 0..<1_000_000)
    }

    @Test("a place on another origin gets no secrets")
    func otherOrigin() throws {
        var drive = UploadDrive(resume: .left(.draft, 10, url: "http://storage/uploads/1"))
        let question = try drive.request()
        #expect(question.value("Authorization") == nil)
        #expect(question.value("User-Agent") == "test")
    }
}
