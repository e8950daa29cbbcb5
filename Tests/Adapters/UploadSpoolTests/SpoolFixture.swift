// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferSessions

@testable import UploadSpool

/// A folder with the files of an app and a subfolder for a spool.
struct SpoolFixture {
    let root: String
    var folder: String { root + "/sources" }

    init() throws {
        root = NSTemporaryDirectory() + "upload-spool-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(atPath: root) }

    /// Returns a spool that uses only the given methods, or all methods if none is given.
    func spool(_ methods: KeepingMethod..., space: Int64? = nil) -> UploadSpool {
        UploadSpool(folder: folder, methods: methods.isEmpty ? KeepingMethod.allCases : methods) { _ in space }
    }

    /// Creates a file of the app.
    func write(_ name: String, bytes: Int) throws -> String {
        try fill(root + "/" + name, bytes: bytes)
        return root + "/" + name
    }

    func fill(_ path: String, bytes: Int) throws {
        let data = Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        try data.write(to: URL(fileURLWithPath: path))
    }

    func content(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    func status(_ path: String) throws -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
        return status
    }

    /// The names of the files in the spool's folder, sorted.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    func expect(
        _ code: SourceSpoolError.Code, saying words: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> KeptSource
    ) async {
        do {
            _ = try await body()
            Issue.record("the file was kept", sourceLocation: sourceLocation)
        } catch let error as SourceSpoolError {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
            #expect(error.message.contains(words), "\(error)", sourceLocation: sourceLocation)
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
    }

    /// A folder on a file system other than that of the tests; `nil` if there is none.
    static let otherVolume: String? = {
        var (here, there) = (stat(), stat())
        guard stat(NSTemporaryDirectory(), &here) == 0, stat("/dev/shm", &there) == 0, here.st_dev != there.st_dev,
            access("/dev/shm", W_OK) == 0
        else { return nil }
        return "/dev/shm"
    }()

    /// Whether files on the tests' file system can share blocks.
    static let canReflink: Bool = {
        guard let fixture = try? SpoolFixture(), let path = try? fixture.write("probe", bytes: 4096) else {
            return false
        }
        defer { fixture.remove() }
        let (from, to) = (open(path, O_RDONLY), open(fixture.root + "/clone", O_WRONLY | O_CREAT, 0o600))
        defer { for descriptor in [from, to] { close(descriptor) } }
        return ioctl(to, 0x4004_9409, from) == 0
    }()
}
