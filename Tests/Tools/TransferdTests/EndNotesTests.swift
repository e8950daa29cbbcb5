// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferBusProtocol
import TransferBusServer
import TransferModel
import TransferPolicy

@testable import transferd

@Suite struct EndNotesTests {
    private func status(
        _ id: Int64, _ state: TransferStatus.State, app: String = BusCaller.person, error: String? = nil
    ) -> TransferStatus {
        var status = TransferStatus(
            id: TransferID(id), url: "http://h/f", name: "f\(id)", app: app, isUpload: false, kind: .normal,
            priority: 500, state: state, submitted: WallTime(nanosecondsSinceEpoch: 0))
        status.error = error
        return status
    }

    @Test("One end is told with where its file lies, or why it failed; then nothing is left to tell")
    func one() {
        var notes = EndNotes()
        var done = status(1, .finished)
        done.path = "/d/f1"
        notes.take(done)
        #expect(notes.tell() == EndNotes.Note(title: "Download finished", body: "/d/f1", isFailure: false))
        #expect(notes.isEmpty && notes.tell() == nil)
        var upload = status(2, .failed, error: "the server answered 500")
        upload.isUpload = true
        notes.take(upload)
        let note = EndNotes.Note(title: "Upload failed", body: "f2: the server answered 500", isFailure: true)
        #expect(notes.tell() == note)
    }

    @Test("What ends together is one note, failures first, with no more than five names")
    func many() {
        var notes = EndNotes()
        for id in 1...8 as ClosedRange<Int64> { notes.take(status(id, .finished)) }
        notes.take(status(9, .failed, error: "gone"))
        let note = notes.tell()
        #expect(note?.title == "1 of 9 transfers failed")
        #expect(note?.body == "f9: gone\nf1\nf2\nf3\nf4\n… and 4 more")
        for id in 1...2 as ClosedRange<Int64> { notes.take(status(id, .finished)) }
        #expect(notes.tell()?.title == "2 transfers finished")
    }

    @Test("C8: notes hold no character that steers a terminal or the reading direction, but for the lines")
    func steering() {
        var notes = EndNotes()
        var done = status(1, .finished)
        done.path = "/d/\u{202E}gpj.exe\n"
        notes.take(done)
        #expect(notes.tell()?.body == "/d/\u{FFFD}gpj.exe\u{FFFD}")
        notes.take(status(2, .failed, error: "\u{1B}[2J\nall is well"))
        #expect(notes.tell()?.body == "f2: \u{FFFD}[2J\u{FFFD}all is well")
        for id in 3...4 as ClosedRange<Int64> { notes.take(status(id, .failed, error: "\u{2066}\n")) }
        #expect(notes.tell()?.body == "f3: \u{FFFD}\u{FFFD}\nf4: \u{FFFD}\u{FFFD}")
    }

    @Test("An app's transfers, what a person cancelled and what goes on are told to nobody")
    func none() {
        var notes = EndNotes()
        notes.take(status(1, .finished, app: "org.example.App"))
        notes.take(status(2, .cancelled))
        notes.take(status(3, .running))
        #expect(notes.isEmpty)
    }
}
