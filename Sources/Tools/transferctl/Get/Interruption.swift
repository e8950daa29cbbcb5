// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization

/// A handler for SIGINT, SIGTERM and SIGHUP. The first signal requests an orderly end, and the second ends the
/// program immediately.
///
/// A signal that was ignored when the program started (under nohup, or in a shell's background job) stays ignored.
final class Interruption: Sendable {
    private let received = FirstSignal()
    // Guard: set once in the initializer, and only kept alive afterwards.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
    /// The signals that an earlier handler of this program ignores, so that its source receives them.
    private static let handled = Mutex<Set<Int32>>([])

    /// The first signal, or `nil` if there was none.
    var signal: Int32? { received.value.withLock { $0 } }

    /// Calls `handler` on a private queue at the first signal.
    init(handler: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "transferctl.signals")
        let numbers = Self.handled.withLock { handled in
            let numbers = [SIGINT, SIGTERM, SIGHUP].filter { handled.contains($0) || !Self.isIgnored($0) }
            handled.formUnion(numbers)
            return numbers
        }
        sources = numbers.map { number in
            Foundation.signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        for (number, source) in zip(numbers, sources) {
            source.setEventHandler { [received] in
                let isFirst = received.value.withLock { first in
                    defer { first = first ?? number }
                    return first == nil
                }
                // At the second signal, the user does not want to wait for the disk.
                guard isFirst else { _exit(128 + number) }
                Console.interrupt()
                handler()
            }
            source.resume()
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // Functions cannot be compared, but their addresses can.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// The first signal, shared with the signal handlers.
private final class FirstSignal: Sendable {
    let value = Mutex<Int32?>(nil)
}
