// SPDX-License-Identifier: Apache-2.0
import CurlTransport
import ExecutorHarness
import Foundation
import Glibc
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor
@testable import TransferFiles

@Suite struct PartialFileWriterTests {
    /// The files of an attempt: a partial file at a path that the test knows.
    private final class PlayedFiles: AttemptFiles {
        let path: String
        let calls: FileCalls
        private let counts = Mutex((opened: 0, removed: 0))

        init(_ path: String, _ calls: FileCalls) { (self.path, self.calls) = (path, calls) }

        var opened: Int { counts.withLock(\.opened) }
        var removed: Int { counts.withLock(\.removed) }

        func prepare(isStopped: () -> Bool) -> (PreparedFiles, OwnedDescriptor?) { (.upload, nil) }

        func open(for server: ServerFile) throws(FileFailure) -> PartialFile {
            counts.withLock { $0.opened += 1 }
            return try PartialFile(path: path, isNew: false, calls: calls)
        }

        func adopt(_ file: PartialFile, as server: ServerFile, size: Int64) throws(FileFailure) -> CompletedFile? {
            nil
        }

        func remove(_ file: PartialFile?) { counts.withLock { $0.removed += 1 } }
    }

    private let checksum = Checksum(algorithm: .sha256, hexDigest: "")
    private let server = ServerFile(url: "http://h/f", status: 200, total: 20)

    /// A writer in a separate folder. Its partial file has the given number of recorded bytes of an earlier attempt.
    private func run(
        present: Int64 = 0, connections: Int = 1, calls: FileCalls = FileCalls(), floor: Int64 = 0,
        _ body: (inout PartialFileWriter, PlayedFiles) throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "partial-writer-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = PlayedFiles(folder + "/f.part", calls)
        var resume: ResumePoint?
        if present > 0 {
            try Data(repeating: 1, count: Int(present)).write(to: URL(fileURLWithPath: files.path))
            resume = ResumePoint(path: files.path, offset: present, total: 20, validator: nil, bootID: "b")
        }
        var configuration = HTTPExecutorConfiguration(partialDirectory: folder)
        (configuration.storageFloorBytes, configuration.storageFloorPercent) = (floor, 100)
        let environment = try ExecutorEnvironment(configuration: configuration, transport: .curl)
        var specification = TransferSpecification(
            url: "http://h/f", destination: Destination(directory: folder, name: "f"), checksum: checksum,
            traits: TransferTraits(kind: .normal, host: "h", submitted: WallTime(secondsSinceEpoch: 0)))
        specification.connections = connections
        var writer = PartialFileWriter(
            AttemptContext(
                job: TransferJob(id: TransferID(1), specification: specification, resume: resume),
                environment: environment, files: files, report: { _ in }))
        writer.begin(at: PartialFileState(path: files.path, offset: present, durable: present / 2), present: present)
        let result = Result { try body(&writer, files) }
        writer.release()
        await environment.client.invalidate()
        try result.get()
    }

    private func size(_ files: PlayedFiles) -> Int64? { FileFacts(path: files.path)?.size }

    private func machine(_ offset: Int64) -> DownloadStateMachine {
        DownloadStateMachine(plan: DownloadDialogue.plan(offset: offset, total: 20, tag: "\"a\""))
    }

    /// Writes at the end, as an attempt does.
    private func write(_ count: Int, _ writer: inout PartialFileWriter) throws -> PartialFileWriter.Outcome {
        let file = try writer.open(for: server, present: ByteRanges([0..<writer.written]))
        let outcome = writer.write(Data(repeating: 2, count: count), at: writer.written, to: file)
        if case .written = outcome { writer.written += Int64(count) }
        return outcome
    }

    @Test("The file is opened once and truncated to the valid bytes")
    func opening() async throws {
        try await run(present: 10) { writer, files in
            let file = try writer.open(for: server, present: ByteRanges([0..<6]))
            #expect(size(files) == 6)
            #expect(file.durable == ByteRanges([0..<5]), "the others are of this boot, and are not known to be durable")
            let again = try writer.open(for: server, present: ByteRanges())
            #expect(again === file)
            #expect(files.opened == 1)
        }
        try await run(present: 10, connections: 2) { writer, _ in
            let file = try writer.open(for: server, present: ByteRanges([0..<4, 8..<10]))
            #expect(file.durable == ByteRanges([0..<4, 8..<10]))
        }
    }

    @Test("Bytes from offset 0 are hashed as they arrive; otherwise, the file is read for its digest")
    func digest() async throws {
        try await run { writer, _ in
            _ = try write(3, &writer)
            _ = try write(2, &writer)
            var expected = BodyHasher(.sha256)
            Data(repeating: 2, count: 5).withUnsafeBytes { expected.update($0) }
            #expect(writer.hasher?.hexDigest == expected.hexDigest)
            writer.stopHashing()
            #expect(writer.hasher == nil)
        }
        try await run(present: 4) { writer, _ in #expect(writer.hasher == nil) }
    }

    @Test("A file that another program truncated or extended keeps its valid bytes and no digest")
    func changed() async throws {
        for (size, kept) in [(3, 3), (9, 5)] as [(off_t, Int64)] {
            try await run { writer, files in
                _ = try write(5, &writer)
                truncate(files.path, size)
                guard case .fileChanged = try write(1, &writer) else { throw CancellationError() }
                #expect(writer.written == kept)
                #expect(self.size(files) == kept)
                #expect(writer.hasher == nil)
            }
        }
    }

    @Test("A partially written block fails with the number of written bytes")
    func failing() async throws {
        var calls = FileCalls()
        calls.write = { descriptor, bytes, count, offset in
            if offset < 4 { return pwrite(descriptor, bytes, min(count, 4), off_t(offset)) }
            errno = EIO
            return -1
        }
        try await run(calls: calls) { writer, _ in
            guard case .failed(let failure, 4) = try write(6, &writer) else { throw CancellationError() }
            #expect(failure.code == EIO)
            #expect(writer.hasher == nil)
        }
    }

    @Test("Space is reserved once for the whole file, and again after a restart")
    func preparing() async throws {
        let reserved = Mutex<[Int64]>([])
        var calls = FileCalls()
        calls.reserve = { _, offset, count in
            reserved.withLock { $0 += [offset, count] }
            return 0
        }
        try await run(present: 10, calls: calls) { writer, _ in
            #expect(writer.hasBytes)
            let prepared = [
                try writer.prepare(for: server, machine(10)), try writer.prepare(for: server, machine(10)),
            ]
            #expect(prepared == [true, false])
            #expect(reserved.withLock { $0 } == [10, 10])
            try writer.restart()
            #expect(writer.durable == ByteRanges() && writer.written == 0)
            #expect(writer.hasher != nil)
            let preparedAgain = try writer.prepare(for: server, machine(0))
            #expect(preparedAgain && !writer.hasBytes)
            #expect(reserved.withLock { $0 } == [10, 10, 0, 20])
        }
    }

    @Test("A volume at its floor accepts neither a file of known size nor a block")
    func floor() async throws {
        try await run(floor: .max) { writer, _ in
            let failure = #expect(throws: FileFailure.self) { try writer.prepare(for: server, machine(0)) }
            #expect(failure?.isStorageLow == true)
            guard case .failed(let failure, 0) = try write(1, &writer) else { throw CancellationError() }
            #expect(failure.isStorageLow)
        }
    }

    @Test("Only a recorded file or a file of this attempt is removed")
    func removing() async throws {
        try await run { writer, files in
            writer.remove()
            #expect(files.removed == 0)
            _ = try write(1, &writer)
            writer.remove()
            #expect(files.removed == 1)
            #expect(writer.file == nil)
        }
        try await run(present: 4) { writer, files in
            writer.remove()
            #expect(files.removed == 1)
        }
    }

    @Test("A full disk reports the needed space: for the rest, or for the whole file if a copy is needed")
    func outcome() async throws {
        try await run { writer, _ in
            _ = try write(5, &writer)
            let expected = DownloadStateMachine.ExpectedFile(total: 20)
            func outcome(_ path: String, _ code: Int32) -> ExecutorOutcome {
                var failure = FileFailure("write", path, code: code)
                failure.available = 3
                return writer.outcome(of: failure, expecting: expected, resume: nil)
            }
            #expect(outcome("/f", ENOSPC) == .storageLow(needed: 15, available: 3, resume: nil))
            #expect(outcome("/f.copy", EDQUOT) == .storageLow(needed: 20, available: 3, resume: nil))
            guard case .failed(let failure, nil) = outcome("/f", EIO) else { throw CancellationError() }
            #expect(failure.cause == .destination)
        }
    }

    @Test("An attempt that wrote nothing keeps its resume point, unless the server's file is shorter")
    func untouched() async throws {
        try await run(present: 10) { writer, _ in
            #expect(writer.untouchedResume(machine(10))?.offset == 10)
            #expect(writer.untouchedResume(machine(0))?.offset == 0)
        }
        try await run { writer, _ in #expect(writer.untouchedResume(machine(0)) == nil) }
    }

    @Test("A resume point lists extents only if the transfer may use several connections")
    func pieces() async throws {
        let durable = ByteRanges([0..<4, 8..<10])
        for (connections, extents) in [(1, nil), (2, [Extent(start: 8, end: 10)])] {
            try await run(connections: connections) { writer, files in
                let point = writer.resumePoint(durable, of: DownloadStateMachine.ExpectedFile(total: 20))
                #expect((point.path, point.offset, point.total) == (files.path, 4, 20))
                #expect(point.extents == extents)
            }
        }
    }
}
