// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

@Suite("Uploads with tus")
struct UploadTusMachineTests {
    private let offers = ["Tus-Version": "1.0.0,0.2.2", "Tus-Extension": "creation,checksum"]

    @Test("A POST sends OPTIONS, creates an upload with name and type, and sends all bytes to it")
    func creates() throws {
        var dialogue = UploadDialogue(.post)
        let discovery = try dialogue.request()
        #expect(discovery.method == "OPTIONS")
        #expect(discovery.value("Tus-Resumable") == nil)
        dialogue.answer(204, offers)
        let creation = try dialogue.request()
        #expect(creation.method == "POST")
        #expect(creation.value("Upload-Length") == "1000000")
        #expect(creation.value("Content-Length") == "0")
        #expect(creation.value("Upload-Metadata") == "filename YSBmaWxl,filetype dGV4dC9wbGFpbg==")
        dialogue.answer(201, ["Location": "uploads/1"])
        #expect(dialogue.remembered == .left(.tus, 0))
        let append = try dialogue.request()
        #expect(append.method == "PATCH")
        #expect(append.value("Content-Type") == "application/offset+octet-stream")
        #expect(append.fields.count { $0.name == "Content-Type" } == 1)
        #expect(append.body == 0..<1_000_000)
        dialogue.answer(204, ["Upload-Offset": "1000000"])
        #expect(dialogue.ending == .responded(status: 204, isCut: false))
    }

    @Test(
        "A server without tus, or one that drops unknown requests, receives the upload itself",
        arguments: [(204, [:]), (200, ["Tus-Version": "0.2.2"]), (405, [:]), (404, ["Tus-Version": "1.0.0"])])
    func isNotSpoken(status: Int, fields: [String: String]) throws {
        var dialogue = UploadDialogue(.post)
        _ = dialogue.sent()
        dialogue.answer(status, fields)
        let whole = try dialogue.request()
        #expect(whole.method == "POST")
        #expect(whole.value("Upload-Complete") == "?1")
        #expect(whole.body == 0..<1_000_000)
        var dropped = UploadDialogue(.post)
        _ = dropped.sent()
        dropped.end(.connection)
        let request7 = try dropped.request()
        #expect(request7.method == "POST")
        var untrusted = UploadDialogue(.post)
        _ = untrusted.sent()
        untrusted.end(.certificate)
        #expect(untrusted.failure == .certificate)
    }

    @Test("A resumed upload requests the offset: complete is final, a lock is temporary, and 404 creates a new upload")
    func goesOn() throws {
        var dialogue = UploadDialogue(.post, resume: .left(.tus, 10))
        let offsetRequest = try dialogue.request()
        #expect(offsetRequest.method == "HEAD")
        #expect(offsetRequest.value("Tus-Resumable") == "1.0.0")
        dialogue.answer(200, ["Upload-Offset": "600000", "Upload-Length": "1000000"])
        let request8 = try dialogue.request()
        #expect(request8.body == 600_000..<1_000_000)
        var done = UploadDialogue(.post, resume: .left(.tus, 10))
        _ = done.sent()
        done.answer(200, ["Upload-Offset": "1000000"])
        #expect(done.ending == .responded(status: 200, isCut: false))
        var locked = UploadDialogue(.post, resume: .left(.tus, 10))
        _ = locked.sent()
        locked.answer(423)
        #expect(locked.failure == .status(423))
        #expect(locked.machine.resumePoint == .left(.tus, 10))
        var gone = UploadDialogue(.post, resume: .left(.tus, 10))
        _ = gone.sent()
        gone.answer(410)
        #expect(gone.decided.contains(.restart))
        let request9 = try gone.request()
        #expect(request9.method == "OPTIONS")
    }

    @Test("A partially accepted part is followed by its rest")
    func partiallyAccepted() throws {
        var dialogue = UploadDialogue(.post, resume: .left(.tus, 10))
        _ = dialogue.sent()
        dialogue.answer(200, ["Upload-Offset": "100"])
        _ = dialogue.sent()
        dialogue.answer(204, ["Upload-Offset": "500"])
        let request10 = try dialogue.request()
        #expect(request10.body == 500..<1_000_000)
    }

    @Test("A response without an upload URL, or with a forbidden one, is malformed")
    func placeless() {
        for fields in [[:], ["Location": "ftp://host/1"]] {
            var dialogue = UploadDialogue(.post)
            _ = dialogue.sent()
            dialogue.answer(204, offers)
            _ = dialogue.sent()
            dialogue.answer(201, fields)
            #expect(dialogue.failure == .malformedResponse)
        }
    }

    @Test("An upload that is lost again after a restart fails")
    func forgottenTwice() {
        var dialogue = UploadDialogue(.post, resume: .left(.tus, 10))
        _ = dialogue.sent()
        dialogue.answer(404)
        _ = dialogue.sent()
        dialogue.answer(204, offers)
        _ = dialogue.sent()
        dialogue.answer(201, ["Location": "/uploads/2"])
        _ = dialogue.sent()
        dialogue.answer(404)
        #expect(dialogue.failure == .malformedResponse)
        #expect(dialogue.machine.resumePoint == nil)
    }
}
