// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

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
        #expect(drive.remembered == .left(.tus, 0))
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
        var drive = UploadDrive(.post, resume: .left(.tus, 10))
        let question = try drive.request()
        #expect(question.method == "HEAD")
        #expect(question.value("Tus-Resumable") == "1.0.0")
        drive.answer(200, ["Upload-Offset": "600000", "Upload-Length": "1000000"])
        let request8 = try drive.request()
        #expect(request8.body == 600_000..<1_000_000)
        var done = UploadDrive(.post, resume: .left(.tus, 10))
        _ = done.sent()
        done.answer(200, ["Upload-Offset": "1000000"])
        #expect(done.ending == .answered(status: 200, isCut: false))
        var locked = UploadDrive(.post, resume: .left(.tus, 10))
        _ = locked.sent()
        locked.answer(423)
        #expect(locked.failure == .status(423))
        #expect(locked.machine.resumePoint == .left(.tus, 10))
        var gone = UploadDrive(.post, resume: .left(.tus, 10))
        _ = gone.sent()
        gone.answer(410)
        #expect(gone.decided.contains(.startOver))
        let request9 = try gone.request()
        #expect(request9.method == "OPTIONS")
    }

    @Test("a part that was taken only half is followed by the other half")
    func halfTaken() throws {
        var drive = UploadDrive(.post, resume: .left(.tus, 10))
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

    @Test("an upload that is forgotten again while it is begun anew is given up")
    func forgottenTwice() {
        var drive = UploadDrive(.post, resume: .left(.tus, 10))
        _ = drive.sent()
        drive.answer(404)
        _ = drive.sent()
        drive.answer(204, offers)
        _ = drive.sent()
        drive.answer(201, ["Location": "/uploads/2"])
        _ = drive.sent()
        drive.answer(404)
        #expect(drive.failure == .malformedAnswer)
        #expect(drive.machine.resumePoint == nil)
    }
}
