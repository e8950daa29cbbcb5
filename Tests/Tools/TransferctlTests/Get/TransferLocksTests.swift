// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import ToolSupport

@testable import transferctl

@Suite("Transfer locks")
struct TransferLocksTests {
    @Test("Reports a folder that cannot be written, with a remedy")
    func unwritable() {
        let error = #expect(throws: UsageError.self) { try TransferLocks(directory: "/proc/nonexistent") }
        #expect(error?.description.contains("--state-dir") ?? false)
    }

    @Test("A process can acquire many locks, and its own locks again")
    func manyAndAgain() throws {
        let folder = NSTemporaryDirectory() + "/locks-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let locks = try TransferLocks(directory: folder)
        let keys = (0..<100).map { String($0 * 7919, radix: 16) }
        #expect(try locks.acquire(keys: keys) == nil)
        #expect(try locks.acquire(keys: ["0", String(repeating: "f", count: 64)]) == nil)
    }

    @Test("Uses at most sixteen files for ten thousand locks")
    func tenThousand() throws {
        let folder = NSTemporaryDirectory() + "/locks-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let locks = try TransferLocks(directory: folder)
        let keys = (1...10_000).map { index in
            String(UInt64(index) &* 0x9E37_79B9_7F4A_7C15 | 1 << 63, radix: 16)
        }
        #expect(try locks.acquire(keys: keys) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count <= 16)
        withExtendedLifetime(locks) {}
    }
}
