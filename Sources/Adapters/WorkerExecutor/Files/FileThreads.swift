// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A few threads that wait for disks on behalf of one worker.
///
/// A destination may be a file system that never answers. Threads of each worker's own keep that from holding up the rest
/// of this process, or another worker's transfers.
final class FileThreads: @unchecked Sendable {
    // Guard: `condition` for everything that changes.
    /// The most threads at once; as many disk operations of one worker run side by side.
    private static let most = 16

    private let condition = NSCondition()
    private var work: [@Sendable () -> Void] = []
    private var threads = 0
    private var idle = 0
    private var isOver = false

    /// Runs `body` on one of the threads, after what was asked for before has begun.
    func run(_ body: @escaping @Sendable () -> Void) {
        condition.withLock {
            work.append(body)
            if work.count <= idle {
                condition.signal()
            } else if threads < Self.most {
                threads += 1
                let thread = Thread { [self] in live() }
                thread.name = "transfer.files"
                thread.stackSize = 512 << 10
                thread.start()
            }
        }
    }

    /// Lets the threads end when nothing is left to do.
    func finish() {
        condition.withLock {
            isOver = true
            condition.broadcast()
        }
    }

    private func live() {
        while let body = next() { body() }
    }

    private func next() -> (@Sendable () -> Void)? {
        condition.withLock {
            while work.isEmpty, !isOver {
                idle += 1
                condition.wait()
                idle -= 1
            }
            guard !work.isEmpty else {
                threads -= 1
                return nil
            }
            return work.removeFirst()
        }
    }
}
