// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as calls: the first asks for an orderly end, the second ends at once.
///
/// A signal that was ignored when the program started (nohup, a shell's background job) stays ignored.
final class Interruption: Sendable {
    private let received = FirstSignal()
    // Guard: set once in the initialiser, only kept alive afterwards.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// The signal that came first.
    var signal: Int32? { received.value.withLock { $0 } }

    /// Calls `handler` at the first signal, on a queue of its own.
    init(handler: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "transferctl.signals")
        let numbers = [SIGINT, SIGTERM, SIGHUP].filter { !Self.isIgnored($0) }
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
                // The second one: the person does not want to wait for the disk.
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
        // Functions cannot be compared, their addresses can.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// The signal that came first, shared with the handlers.
private final class FirstSignal: Sendable {
    let value = Mutex<Int32?>(nil)
}
