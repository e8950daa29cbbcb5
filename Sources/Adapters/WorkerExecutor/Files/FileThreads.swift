// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A small pool of threads that wait for disks on behalf of a single worker.
///
/// A destination may be on a file system that never responds. Separate threads for each worker keep such a file system
/// from blocking the rest of this process or the transfers of other workers.
final class FileThreads: @unchecked Sendable {
    // Guard: `condition`, for all mutable state.
    /// The maximum number of threads, and of a worker's concurrent disk operations.
    private static let maximumThreads = 16

    private let condition = NSCondition()
    private var work: [@Sendable () -> Void] = []
    private var threads = 0
    private var idle = 0
    private var isFinished = false

    /// Runs `body` on one of the threads, after all earlier work has begun.
    func run(_ body: @escaping @Sendable () -> Void) {
        condition.withLock {
            work.append(body)
            if work.count <= idle {
                condition.signal()
            } else if threads < Self.maximumThreads {
                threads += 1
                let thread = Thread { [self] in runWork() }
                thread.name = "transfer.files"
                thread.stackSize = 512 << 10
                thread.start()
            }
        }
    }

    /// Lets the threads exit once no work is left.
    func finish() {
        condition.withLock {
            isFinished = true
            condition.broadcast()
        }
    }

    private func runWork() {
        while let body = next() { body() }
    }

    private func next() -> (@Sendable () -> Void)? {
        condition.withLock {
            while work.isEmpty, !isFinished {
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
