// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The end of standard input.
enum EndOfInput {
    /// Waits for the end of standard input on a separate reading thread.
    ///
    /// Dispatch may end the process if a pipe it watches hangs up (swift-corelibs-libdispatch 949).
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
