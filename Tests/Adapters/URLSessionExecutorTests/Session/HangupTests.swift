// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import URLSessionExecutor

/// Tests of hang-ups on libdispatch's event sources (swift-corelibs-libdispatch 949).
struct HangupTests {
    @Test(
        "Pipes that hang up while event sources watch them do not end the process with the interposer",
        .timeLimit(.minutes(2)))
    func hangups() async {
        await #expect(processExitsWith: .success) {
            // Freed memory is overwritten, so that any later read is detected. A lost wakeup ends this process, too.
            overwriteFreedMemory()
            alarm(90)
            #expect(
                InterposerInstallation.install(isEnabled: true, bufferSize: 0, blockSize: 0, caFile: nil, proxy: nil)
                    .isActive)
            let group = DispatchGroup()
            for _ in 0..<16 {
                group.enter()
                Thread.detachNewThread {
                    for _ in 0..<2000 { watchToTheEnd() }
                    group.leave()
                }
            }
            group.wait()
        }
    }
}

/// Calls `mallopt(M_PERTURB, 165)`, which the C library's module does not export.
private func overwriteFreedMemory() {
    let address = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "mallopt")
    guard let address else { return }
    _ = unsafeBitCast(address, to: (@convention(c) (CInt, CInt) -> CInt).self)(-6, 165)
}

/// Watches a pipe whose other end closes immediately.
private func watchToTheEnd() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return }
    let (output, input) = (ends[0], ends[1])
    let canceled = DispatchSemaphore(value: 0)
    let source = DispatchSource.makeReadSource(fileDescriptor: output, queue: DispatchQueue(label: "reader"))
    source.setEventHandler {
        var byte: UInt8 = 0
        if read(output, &byte, 1) <= 0 { source.cancel() }
    }
    source.setCancelHandler {
        close(output)
        canceled.signal()
    }
    source.activate()
    close(input)
    canceled.wait()
}
