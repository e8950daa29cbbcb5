// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Waits for the end of standard input.
enum EndOfInput {
    /// On a thread of its own, which reads: the hang-up of a pipe that Dispatch watches may end the process
    /// (swift-corelibs-libdispatch 949).
    static func wait() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var bytes = [UInt8](repeating: 0, count: 256)
                while read(0, &bytes, bytes.count) > 0 {}
                continuation.resume()
            }
        }
    }
}
