// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The elements observed so far, with a way to wait for more within a time limit.
final class Observed<Element: Sendable>: Sendable {
    typealias Condition = @Sendable ([Element]) -> Bool

    private struct Waiter {
        var isMet: Condition
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var elements: [Element] = []
        var isFinished = false
        var waiters: [Int: Waiter] = [:]
        /// The waits that were canceled before they started.
        var givenUp: Set<Int> = []
        var lastWait = 0
    }

    private let state = Mutex(State())

    /// All elements so far.
    var elements: [Element] { state.withLock(\.elements) }

    /// Whether the sequence of elements has ended.
    var isFinished: Bool { state.withLock(\.isFinished) }

    /// Adds an element, and resumes the waits whose condition is met.
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

    /// Records the end of the elements. All waits end unfulfilled.
    func finish() {
        let waiters = state.withLock { state -> [Waiter] in
            state.isFinished = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
    }

    /// Waits for the elements to meet the condition. Returns false if the time limit or the end
    /// of the elements comes first.
    func wait(atMost limit: Duration, until isMet: @escaping Condition) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.wait(until: isMet) }
            group.addTask {
                // The limit for an implementation that does nothing. An implementation that keeps its contract is
                // faster.
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
                let result = state.withLock { state -> Bool? in
                    if isMet(state.elements) { return true }
                    if state.isFinished || state.givenUp.remove(number) != nil { return false }
                    state.waiters[number] = Waiter(isMet: isMet, continuation: continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
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
    /// Consumes the stream while `body` runs. Returns all elements that the stream delivered before `body` returned.
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
            // A canceled loop still consumes the elements that the stream has buffered, so no element is missed.
            group.cancelAll()
            while try await group.next() != nil {}
        }
        return observed.elements
    }
}
