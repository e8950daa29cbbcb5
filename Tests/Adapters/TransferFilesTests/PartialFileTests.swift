// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import TransferFiles

struct PartialFileTests {
    /// Runs `body` with a temporary folder.
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "transfer-partial-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    /// Whether this process may give files to another user. In a user namespace, root may be the only user.
    private static let mayGiveFiles: Bool = {
        let path = NSTemporaryDirectory() + UUID().uuidString
        defer { rmdir(path) }
        return mkdir(path, 0o700) == 0 && chown(path, 12_345, 12_345) == 0
    }()

    private func job(_ folder: String) -> TransferJob {
        let traits = TransferTraits(kind: .normal, host: "test", submitted: WallTime(secondsSinceEpoch: 0))
        let specification = TransferSpecification(
            url: "http://h/f", destination: Destination(directory: folder, name: "f"), idleTimeoutSeconds: 20,
            traits: traits)
        return TransferJob(id: TransferID(1), specification: specification, resume: nil)
    }

    @Test("The first transfers of two state folders have different partial files, in both locations")
    func paths() throws {
        try inFolder { folder in
            let partial = folder + "/partial"
            let common = try ["/a", "/b"].map { state in
                try PartialFileState.find(for: job(folder), partialDirectory: partial + state).path
            }
            #expect(Set(common.map(Paths.name)).count == 2)
            #expect(common.allSatisfy { Paths.name($0).hasPrefix("1-") && $0.hasSuffix(".part") })
            #expect(try PartialFileState.find(for: job(folder), partialDirectory: partial + "/a").path == common[0])
            let beside = try ["/proc", "/sys"].map {
                try PartialFileState.find(for: job(folder), partialDirectory: $0).path
            }
            #expect(Set(beside).count == 2)
            #expect(beside.allSatisfy { $0.hasPrefix(folder + "/.1-") && $0.hasSuffix(".part") })
        }
    }

    @Test("A new partial file replaces an abandoned file, never a file that a process writes")
    func creation() throws {
        try inFolder { folder in
            var tokens = ["aa", "bb"]
            let path = folder + "/.1-aa.part"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            let before = try PartialFile(path: path, offset: 4, durable: 0)
            let file = try PartialFileState.create(path, calls: FileCalls()) { tokens.removeFirst() }
            #expect(file.path == folder + "/.1-bb.part")
            #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
            before.unlock()
            #expect(try PartialFileState.create(path, calls: FileCalls()).path == path)
            #expect(FileManager.default.contents(atPath: path) == Data())
            try FileManager.default.removeItem(atPath: path)
            symlink("/etc/hostname", path)
            #expect(throws: FileFailure.self) { try PartialFileState.create(path, calls: FileCalls()) { "aa" } }
        }
    }

    @Test("A common folder of partial files that other users can write to is refused, with its name")
    func sharedFolder() throws {
        try inFolder { folder in
            #expect(mkdir(folder + "/partial", 0o700) == 0 && chmod(folder + "/partial", 0o777) == 0)
            let failure = #expect(throws: FileFailure.self) {
                try PartialFileState.find(for: job(folder), partialDirectory: folder + "/partial")
            }
            #expect(failure?.failure.message.contains("other users can write to \(folder)/partial. ") == true)
        }
    }

    @Test(
        "A recorded file is continued only if it is this user's, and never another file of its name",
        .enabled(if: PartialFileTests.mayGiveFiles, "only root may give files to another user"))
    func recorded() throws {
        try inFolder { folder in
            let path = folder + "/.1-aa.part"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            var resume = ResumePoint(path: path, offset: 4, total: 9, validator: nil, bootID: "")
            #expect(PartialFileState.recorded(resume, at: path)?.size == 4)
            #expect(chown(path, 12_345, 12_345) == 0)
            #expect(PartialFileState.recorded(resume, at: path) == nil)
            // A file system that shows another owner.
            resume.fileNumber = FileFacts(path: path)?.number
            #expect(PartialFileState.recorded(resume, at: path)?.size == 4)

            let job = TransferJob(id: TransferID(1), specification: job(folder).specification, resume: resume)
            let configuration = HTTPExecutorConfiguration(partialDirectory: folder + "/partial")
            #expect(unlink(path) == 0 && symlink("/etc/hostname", path) == 0)
            let files = LocalFiles(job: job, configuration: configuration)
            _ = files.prepare(isStopped: { false })
            let opened = try files.open(for: ServerFile(url: "http://h/f", status: 200))
            #expect(opened.path != path && Paths.parent(opened.path) == folder)
        }
    }

    @Test("A file that a process writes is left alone and is available afterward")
    func lock() throws {
        try inFolder { folder in
            let path = folder + "/1-aa.part"
            let first = try PartialFile(path: path, offset: 0, durable: 0)
            var written = 0
            try Array("mine".utf8).withUnsafeBytes { try first.write($0, at: 0, written: &written) }
            let failure = #expect(throws: FileFailure.self) { try PartialFile(path: path, offset: 0, durable: 0) }
            #expect(failure?.failure.cause == .fileInUse && failure?.failure.cause.isTemporary == true)
            #expect(failure?.failure.message.contains("Another process is writing it") == true)
            #expect(FileFacts(path: path)?.size == 4)
            first.unlock()
            _ = try PartialFile(path: path, offset: 2, durable: 0)
            #expect(FileFacts(path: path)?.size == 2)
        }
    }

    @Test("After a failed sync, no later sync counts as a success")
    func failedSync() throws {
        try inFolder { folder in
            let answers = Mutex<[Int32]>([0, EIO, 0])
            var calls = FileCalls()
            calls.sync = { _, _ in
                errno = answers.withLock { $0.removeFirst() }
                return errno == 0 ? 0 : -1
            }
            let file = try PartialFile(path: folder + "/1-aa.part", offset: 0, durable: 0, calls: calls)
            #expect(file.syncNow(ByteRanges([0..<10])) == nil)
            #expect(file.syncNow(ByteRanges([0..<20]))?.code == EIO)
            #expect(file.syncNow(ByteRanges([0..<30]))?.code == EIO)
            #expect(file.durable.count == 10)
        }
    }

    @Test("A sync that was running during a truncation makes nothing durable")
    func cutDuringSync() throws {
        try inFolder { folder in
            let (begun, cut, synced) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            var calls = FileCalls()
            calls.sync = { _, _ in
                begun.signal()
                cut.wait()
                return 0
            }
            let file = try PartialFile(path: folder + "/1-aa.part", offset: 0, durable: 0, calls: calls)
            #expect(file.beginSync(ByteRanges([0..<10]), on: .global()) { _ in synced.signal() })
            begun.wait()
            try file.truncate(to: 0)
            cut.signal()
            synced.wait()
            #expect(file.durable.count == 0)
            cut.signal()
            #expect(file.syncNow(ByteRanges([0..<5])) == nil)
            #expect(file.durable.count == 5)
        }
    }

    @Test("An impossible file time is rejected, and a time after 2262 does no harm")
    func times() throws {
        #expect(FinalAttributes.nanoseconds("Fri, 31 Dec 9999 23:59:59 GMT") == nil)
        #expect(FinalAttributes.nanoseconds("Thu, 01 Jan 1970 00:00:01 GMT") == 1_000_000_000)
        try inFolder { folder in
            let times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 13_569_465_600, tv_nsec: 1)]
            #expect(utimensat(AT_FDCWD, folder, times, 0) == 0)
            #expect(FileFacts(path: folder)?.modified ?? 0 > 0)
        }
    }
}
