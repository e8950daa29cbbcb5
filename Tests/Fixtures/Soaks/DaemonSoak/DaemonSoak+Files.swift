// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferBusProtocol
import TransferModel

/// How many files were held against what they should be.
struct FileCounts {
    var downloads = 0
    var uploads = 0
    /// Cancelled too late: what came whole may stay.
    var lateDownloads = 0
    var lateUploads = 0
    /// How many finished uploads came whole so often.
    ///
    /// More than once is no fault: a daemon that dies between the server's answer and its own note of it cannot know.
    var bodies: [Int: Int] = [:]
}

/// Files here and at the server.
extension DaemonSoak {
    /// Makes the file that is to be uploaded to that path.
    func makeFile(_ path: String) -> String {
        let file = sent + path
        if !FileManager.default.createFile(atPath: file, contents: Data(server.bytes(path))) {
            ledger.fault("\(file) could not be made")
        }
        return file
    }

    /// From now on nobody should ask the server for what is over.
    func close(_ path: String) { server.close(path, isCancelled: ledger.entries[path]?.end == .cancelled) }

    /// Compares the files of those that were told as finished with what the server has.
    func checkFiles() {
        for (path, file) in ledger.takeUnchecked() {
            if UploadManner(path: path) == nil { checkDownload(path, file) } else { checkUpload(path, file) }
        }
    }

    /// An empty file stays, so that a second one shows.
    private func checkDownload(_ path: String, _ file: String) {
        files.downloads += 1
        if file != disk + "/downloads" + path { ledger.fault("\(path) became \(file)") }
        if FileManager.default.contents(atPath: file) != Data(server.bytes(path)) {
            ledger.fault("\(file) is not what the server has")
        } else {
            truncate(file, 0)
        }
    }

    /// Its file goes, so that it cannot be sent again unnoticed.
    private func checkUpload(_ path: String, _ file: String) {
        if file != sent + path { ledger.fault("\(path) was sent from \(file)") }
        if FileManager.default.contents(atPath: file) != Data(server.bytes(path)) {
            ledger.fault("\(file) was changed")
        }
        let (right, wrong) = wholeBodies(path)
        if right == 0 { ledger.fault("\(path) was told as finished, and never came whole and right") }
        if right > 0, wrong == 0 { files.uploads += 1 }
        files.bodies[right + wrong, default: 0] += 1
        server.uploads.forget(path)
        unlink(file)
    }

    /// How many bodies of a file came whole; a wrong one is a fault, whatever came before or after it.
    private func wholeBodies(_ path: String) -> (right: Int, wrong: Int) {
        let file = Data(server.bytes(path))
        let bodies = server.uploads.bodies(path)
        let wrong = bodies.count { Data($0) != file }
        if wrong > 0 { ledger.fault("\(path) came \(bodies.count) times, and \(wrong) times it was not its file") }
        return (bodies.count - wrong, wrong)
    }

    /// Looks at what came of those that nobody wants any more.
    func checkCancelledUploads() {
        for path in server.uploads.paths where wholeBodies(path).right > 0 { files.lateUploads += 1 }
    }

    /// Looks for files that should not be there, and for those that should.
    func checkFolders() {
        let files = FileManager.default
        let finished = Set(
            ledger.entries.values.filter { $0.end == .finished && !$0.isUpload }.map { String($0.path.dropFirst()) })
        let there = Set((try? files.contentsOfDirectory(atPath: disk + "/downloads")) ?? [])
        for name in there.subtracting(finished).sorted() {
            // Cancelled after it had got its name, before anybody was told: what came whole may stay.
            let isCancelled = ledger.entries["/" + name]?.end == .cancelled
            if isCancelled, files.contents(atPath: disk + "/downloads/" + name) == Data(server.bytes("/" + name)) {
                self.files.lateDownloads += 1
            } else {
                ledger.fault("\(name) is left in the downloads")
            }
        }
        for name in finished.subtracting(there).sorted().prefix(5) { ledger.fault("\(name) is gone") }
        let partial = (try? files.contentsOfDirectory(atPath: disk + "/state/transferd/partial")) ?? []
        for name in partial.sorted().prefix(5) { ledger.fault("\(name) is left among the partial files") }
    }
}
