// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// What came so far from something that tells, and a way to wait for more with an end to patience.
final class Observed<Element: Sendable>: Sendable {
    typealias Condition = @Sendable ([Element]) -> Bool

    private struct Waiter {
        var isMet: Condition
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var elements: [Element] = []
        var isOver = false
        var waiters: [Int: Waiter] = [:]
        /// Waits that were given up before they began.
        var givenUp: Set<Int> = []
        var lastWait = 0
    }

    private let state = Mutex(State())

    /// Everything so far.
    var elements: [Element] { state.withLock(\.elements) }

    /// Whether nothing more will come.
    var isOver: Bool { state.withLock(\.isOver) }

    /// One more has come.
    func add(_ element: Element) {
        let met = state.withLock { state -> [Waiter] in
            state.elements.append(element)
            let elements = state.elements
            let met = state.waiters.filter { $0.value.isMet(elements) }
            for number in met.keys { state.waiters[number] = nil }
            return Array(met.values)
        }
        for waiter in met { waiter.continuation.resume(returning: true) }
    }

    /// Nothing more will come: who still waits does so in vain.
    func finish() {
        let waiters = state.withLock { state -> [Waiter] in
            state.isOver = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
    }

    /// Whether what has come fulfils the condition within the time; returns as soon as it does.
    func wait(atMost limit: Duration, until isMet: @escaping Condition) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.wait(until: isMet) }
            group.addTask {
                // The end of patience with an implementation that does nothing: one that keeps its contract is faster.
                try? await Task.sleep(for: limit)
                return false
            }
            let isFulfilled = await group.next() ?? false
            group.cancelAll()
            return isFulfilled
        }
    }

    private func wait(until isMet: @escaping Condition) async -> Bool {
        let number = state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if isMet(state.elements) { return true }
                    if state.isOver || state.givenUp.remove(number) != nil { return false }
                    state.waiters[number] = Waiter(isMet: isMet, continuation: continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                if state.waiters[number] == nil { state.givenUp.insert(number) }
                return state.waiters.removeValue(forKey: number)
            }
            waiter?.continuation.resume(returning: false)
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// Takes from the stream while `body` runs; returns everything that was told until `body` was over.
    func observed(while body: (Observed<Element>) async throws -> Void) async rethrows -> [Element] {
        let observed = Observed<Element>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await element in self { observed.add(element) }
                observed.finish()
            }
            do { try await body(observed) } catch {
                group.cancelAll()
                throw error
            }
            // A cancelled loop still takes what the stream holds already, so nothing that was told is missed.
            group.cancelAll()
            while try await group.next() != nil {}
        }
        return observed.elements
    }
}
