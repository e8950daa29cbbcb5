// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import LinuxKernel

@Suite("Files that survive a power cut")
struct DurableFileTests {
    private func withFile(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/durable-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func content(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("The whole content is durable before it takes the place of the former content")
    func order() throws {
        try withFile { path in
            try DurableFile.write(Data("old".utf8), to: path)
            var synced: [String?] = []
            try DurableFile.write(Data("new".utf8), to: path) { descriptor in
                synced = [content("/proc/self/fd/\(descriptor)"), content(path)]
                return fsync(descriptor)
            }
            #expect(synced == ["new", "old"])
            #expect(content(path) == "new")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("If the content cannot be made durable, the former content remains, and no other file")
    func failure() throws {
        try withFile { path in
            try DurableFile.write(Data("old".utf8), to: path)
            #expect(throws: POSIXError.self) {
                try DurableFile.write(Data("new".utf8), to: path) { _ in
                    errno = EIO
                    return -1
                }
            }
            #expect(content(path) == "old" && !FileManager.default.fileExists(atPath: path + ".new"))
        }
    }
}
