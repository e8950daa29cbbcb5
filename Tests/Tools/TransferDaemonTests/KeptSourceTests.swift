// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferModel
import TransferSessions
import TransferTesting
import UploadSpool

@testable import TransferDaemon

@Suite("C5: kept files of uploads outside sessions")
struct KeptSourceTests {
    private let root = NSTemporaryDirectory() + "kept-source-\(UUID().uuidString)"

    private func sources() throws -> UploadSources {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        return UploadSources(spool: UploadSpool(folder: root + "/sources") { _ in nil })
    }

    /// Passes a file of `bytes` bytes as a descriptor. The file loses its name afterwards.
    private func keep(_ bytes: Int, by sources: UploadSources, flags: Int32 = O_RDONLY) async throws -> KeptSource {
        let path = root + "/file"
        try Data(repeating: 7, count: bytes).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, flags)
        defer { close(descriptor) }
        defer { unlink(path) }
        return try await sources.keep(descriptor, for: "org.example.Sandboxed", within: 1000)
    }

    @Test("C5: a passed file is kept until its transfer ends, and shown with the app's own name")
    func kept() async throws {
        let sources = try sources()
        defer { try? FileManager.default.removeItem(atPath: root) }
        let kept = try await keep(600, by: sources)
        #expect(FileManager.default.contents(atPath: kept.path)?.count == 600)
        let upload = UploadSource(kept, of: "/data/report.pdf", contentType: "application/pdf")
        #expect((upload.path, upload.shownPath, upload.size) == (kept.path, "/data/report.pdf", 600))
        let specification = TransferSpecification(
            url: "http://h/", upload: upload,
            traits: TransferTraits(
                kind: .normal, host: "http://h:80", app: "org.example.Sandboxed",
                submitted: WallTime(secondsSinceEpoch: 0)))
        #expect(DisplayName(of: specification).text == "report.pdf")
        sources.record(TransferID(1), specification)
        #expect(sources.all == [kept])
        sources.transferEnded(TransferID(2))
        #expect(FileManager.default.fileExists(atPath: kept.path))
        sources.transferEnded(TransferID(1))
        #expect(!FileManager.default.fileExists(atPath: kept.path))
    }

    @Test("C5: exceeding the quota and passing an unreadable descriptor are refused; discarding a file frees its space")
    func refused() async throws {
        let sources = try sources()
        defer { try? FileManager.default.removeItem(atPath: root) }
        let kept = try await keep(600, by: sources)
        await #expect { try await keep(600, by: sources) } throws: { ($0 as? BusFault)?.code == .limitExceeded }
        await #expect { try await keep(1, by: sources, flags: O_WRONLY) } throws: {
            ($0 as? BusFault)?.code == .invalidArgument
        }
        sources.discard(kept)
        _ = try await keep(600, by: sources)
    }
}
