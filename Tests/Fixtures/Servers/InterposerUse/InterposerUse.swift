// SPDX-License-Identifier: Apache-2.0
import Synchronization
package import Testing

/// Runs each test case by itself among those with this trait, in the order in which they began. Their executors set
/// the interposer's options, such as the CA file, which apply to the whole process.
///
/// A waiting test takes the place of another, so the suites are serialized, too.
package struct InterposerUse: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    private static let waiting = Mutex<(isUsed: Bool, tests: [CheckedContinuation<Void, Never>])>((false, []))

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await withCheckedContinuation { continuation in
            let isFree = Self.waiting.withLock { waiting in
                if waiting.isUsed { waiting.tests.append(continuation) }
                defer { waiting.isUsed = true }
                return !waiting.isUsed
            }
            if isFree { continuation.resume() }
        }
        defer {
            let next = Self.waiting.withLock { waiting in
                waiting.isUsed = !waiting.tests.isEmpty
                return waiting.tests.isEmpty ? nil : waiting.tests.removeFirst()
            }
            next?.resume()
        }
        try await function()
    }
}

extension Trait where Self == InterposerUse {
    /// Runs each test case by itself among those with this trait.
    package static var usesInterposer: Self { InterposerUse() }
}
