// SPDX-License-Identifier: Apache-2.0
import CMemory
import Foundation
import Synchronization

/// Keeps the daemon small while it has nothing to do, which is nearly always.
///
/// After its start, and after work with thousands of transfers, what is free in the heap goes back to the system, and pages
/// of programs and libraries that were only read are taken out of the process. The system keeps those as its cache of files;
/// what is used again comes back page by page without the disk as long as it does.
final class IdleMemory: Sendable {
    private let isDue = Mutex(false)
    private static let delay = Duration.seconds(2)

    /// Has the heap stay small; to be called before there are threads.
    static func keepHeapSmall() { transfer_keep_heap_small() }

    /// Gives back what is free, a moment later, together with what else becomes free until then.
    ///
    /// - Parameter release: done just before, to make more free.
    func giveBackSoon(after release: @escaping @Sendable () async -> Void) {
        let isFirst = isDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isFirst else { return }
        Task {
            try? await Task.sleep(for: Self.delay)
            isDue.withLock { $0 = false }
            await release()
            Self.giveBack()
        }
    }

    private static func giveBack() {
        transfer_trim_heap()
        // To its end: FileManager takes the first piece that the kernel gives for the whole.
        guard let maps = try? FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd() else { return }
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        for range in MappedFile.unwritten(in: String(decoding: maps, as: UTF8.self), of: program) {
            madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
        }
    }
}

/// Files that are mapped into memory.
enum MappedFile {
    /// Where the program and its libraries are mapped and no page of them was ever written, by the text of
    /// `/proc/PID/smaps` (proc(5)): to take their pages out loses nothing. Files that may be unmapped at any moment, so that
    /// something else lies there, are left alone.
    static func unwritten(in smaps: String, of program: String) -> [Range<UInt>] {
        var ranges: [Range<UInt>] = []
        var range: Range<UInt>?
        for line in smaps.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            guard let first = words.first else { continue }
            if !first.hasSuffix(":") {
                // address, permissions, offset, device, inode, path: private, readable, not writable, of a file.
                let isFile = words.count >= 6 && words[5].hasPrefix("/") && words[4] != "0"
                let path = words.dropFirst(5).joined(separator: " ")
                let isCode = path == program || path.hasSuffix(".so") || path.contains(".so.")
                range = isFile && isCode && ["r--p", "r-xp"].contains(words[1]) ? Self.range(first) : nil
            } else if first == "Anonymous:", words.count > 1, words[1] == "0", let found = range {
                ranges.append(found)
                range = nil
            }
        }
        return ranges
    }

    private static func range(_ text: String) -> Range<UInt>? {
        let ends = text.split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
    }
}
