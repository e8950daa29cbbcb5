// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferBusProtocol
import TransferModel

/// The numbers of files that were compared with their expected content.
struct FileCounts {
    var downloads = 0
    var uploads = 0
    /// Downloads that were canceled too late. A complete file may remain.
    var lateDownloads = 0
    var lateUploads = 0
    /// The number of finished uploads, by the number of complete bodies that the server received.
    ///
    /// More than one body is not a fault. A daemon that dies before it records the server's response
    /// cannot know of the response.
    var bodies: [Int: Int] = [:]
}

/// Checks of the files on this machine and at the server.
extension DaemonStress {
    /// Creates the file to upload to the given path.
    func makeFile(_ path: String) -> String {
        let file = sent + path
        if !FileManager.default.createFile(atPath: file, contents: Data(server.bytes(path))) {
            expected.fault("cannot create \(file)")
        }
        return file
    }

    /// Closes a path, so that later requests for the finished transfer are reported.
    func close(_ path: String) { server.close(path, isCancelled: expected.entries[path]?.end == .cancelled) }

    /// Compares the files of newly finished transfers with the server's content.
    func checkFiles() {
        for (path, file) in expected.removeUnchecked() {
            if UploadProtocol(path: path) == nil { checkDownload(path, file) } else { checkUpload(path, file) }
        }
    }

    /// Checks a downloaded file and empties it. The empty file remains, so that a second download would show.
    private func checkDownload(_ path: String, _ file: String) {
        files.downloads += 1
        if file != disk + "/downloads" + path { expected.fault("\(path) was saved as \(file)") }
        if FileManager.default.contents(atPath: file) != Data(server.bytes(path)) {
            expected.fault("\(file) differs from the server's file")
        } else {
            truncate(file, 0)
        }
    }

    /// Checks an uploaded file and removes it, so that a second upload cannot go unnoticed.
    private func checkUpload(_ path: String, _ file: String) {
        if file != sent + path { expected.fault("\(path) was uploaded from \(file)") }
        if FileManager.default.contents(atPath: file) != Data(server.bytes(path)) {
            expected.fault("\(file) was changed")
        }
        let (right, wrong) = wholeBodies(path)
        if right == 0 { expected.fault("\(path) was reported as finished, but no correct body arrived") }
        if right > 0, wrong == 0 { files.uploads += 1 }
        files.bodies[right + wrong, default: 0] += 1
        server.uploads.forget(path)
        unlink(file)
    }

    /// Returns the numbers of correct and wrong complete bodies of a file. Every wrong body is reported as a fault.
    private func wholeBodies(_ path: String) -> (right: Int, wrong: Int) {
        let file = Data(server.bytes(path))
        let bodies = server.uploads.bodies(path)
        let wrong = bodies.count { Data($0) != file }
        if wrong > 0 { expected.fault("\(path) arrived \(bodies.count) times, \(wrong) times with wrong content") }
        return (bodies.count - wrong, wrong)
    }

    /// Checks the bodies of uploads that were canceled or are no longer wanted.
    func checkCancelledUploads() {
        for path in server.uploads.paths where wholeBodies(path).right > 0 { files.lateUploads += 1 }
    }

    /// Checks for files that should not exist, and for files that are missing.
    func checkFolders() {
        let files = FileManager.default
        let finished = Set(
            expected.entries.values.filter { $0.end == .finished && !$0.isUpload }.map { String($0.path.dropFirst()) })
        let existing = Set((try? files.contentsOfDirectory(atPath: disk + "/downloads")) ?? [])
        for name in existing.subtracting(finished).sorted() {
            // The transfer was canceled after its file was renamed, before the end was reported. A
            // complete file may remain.
            let isCancelled = expected.entries["/" + name]?.end == .cancelled
            if isCancelled, files.contents(atPath: disk + "/downloads/" + name) == Data(server.bytes("/" + name)) {
                self.files.lateDownloads += 1
            } else {
                expected.fault("\(name) was left in the downloads folder")
            }
        }
        for name in finished.subtracting(existing).sorted().prefix(5) {
            expected.fault("\(name) is missing in the downloads")
        }
        let partial = (try? files.contentsOfDirectory(atPath: disk + "/state/transferd/partial")) ?? []
        for name in partial.sorted().prefix(5) { expected.fault("\(name) was left in the partial files folder") }
    }
}
