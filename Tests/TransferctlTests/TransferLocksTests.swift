// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import transferctl

@Suite("the locks of transfers")
struct TransferLocksTests {
    @Test("a folder that cannot be written is refused in words")
    func unwritable() {
        let error = #expect(throws: UsageError.self) { try TransferLocks(directory: "/proc/nonexistent") }
        #expect(error?.description.contains("--state-dir") ?? false)
    }

    @Test("a process may take many, and its own again")
    func manyAndAgain() throws {
        let folder = NSTemporaryDirectory() + "/locks-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let locks = try TransferLocks(directory: folder)
        for index in 0..<100 { #expect(try locks.take(key: String(index * 7919, radix: 16)) == nil) }
        #expect(try locks.take(key: "0") == nil)
        #expect(try locks.take(key: String(repeating: "f", count: 64)) == nil)
    }
}
