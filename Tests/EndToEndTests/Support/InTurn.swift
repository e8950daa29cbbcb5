// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A limit for the suites that run at the same time.
///
/// Every suite starts daemons and buses of its own, and expects reactions within seconds. Swift Testing starts all suites
/// at once: on two processors, the seventy suites then measured mainly each other. `.ci/test` runs the suites in three
/// processes.
struct InTurn: SuiteTrait, TestScoping {
    private static let turns = Turns(1 + ProcessInfo.processInfo.activeProcessorCount)

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.turns.begin()
        // A deferred call cannot be awaited.
        let result: Result<Void, any Error>
        do { result = .success(try await function()) } catch { result = .failure(error) }
        await Self.turns.end()
        try result.get()
    }
}

extension Trait where Self == InTurn {
    /// Runs the suite when few others run.
    static var inTurn: InTurn { InTurn() }
}

/// The places of running suites.
private actor Turns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ places: Int) { free = places }

    func begin() async {
        guard free == 0 else { return free -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    func end() {
        guard !waiting.isEmpty else { return free += 1 }
        waiting.removeFirst().resume()
    }
}
