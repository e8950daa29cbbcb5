// SPDX-License-Identifier: Apache-2.0
@preconcurrency import Dispatch
import Glibc

/// Waits for the end of standard input without a thread of its own.
enum EndOfInput {
    static func wait() async {
        let source = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .global())
        await withCheckedContinuation { continuation in
            source.setEventHandler {
                var bytes = [UInt8](repeating: 0, count: 256)
                if read(0, &bytes, bytes.count) <= 0 { source.cancel() }
            }
            source.setCancelHandler { continuation.resume() }
            source.activate()
        }
    }
}
