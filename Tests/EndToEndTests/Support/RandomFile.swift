// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// A maker of files with random bytes that a seed determines.
enum RandomFile {
    static func write(_ path: String, bytes: Int, seed: UInt64) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else { throw FixtureError("\(path) cannot be written") }
        defer { try? file.close() }
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        var left = bytes
        while left > 0 {
            var words = [UInt64](repeating: 0, count: 1 << 17)
            for index in words.indices {
                // xorshift64 (Marsaglia 2003): fast, and no two blocks are alike.
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                words[index] = state
            }
            let block = words.withUnsafeBytes { Data($0.prefix(left)) }
            try file.write(contentsOf: block)
            left -= block.count
        }
    }

    /// Returns whether two files have the same bytes.
    static func same(_ left: String, _ right: String) -> Bool {
        FileManager.default.contentsEqual(atPath: left, andPath: right)
    }
}
