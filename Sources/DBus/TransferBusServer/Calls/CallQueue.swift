// SPDX-License-Identifier: Apache-2.0

/// The calls of each app that wait while as many as allowed are being answered, in the order in which they came.
///
/// One app that makes thousands of calls cannot keep others waiting: the service works on a few of each app at a time.
struct CallQueue<Call> {
    /// The number of calls of one app that are answered at a time: enough for many submissions to share one sync of the disk.
    static var mostAtATime: Int { 16 }

    private struct App {
        var active = 0
        var waiting: [Call] = []
        /// The place of the first in `waiting` that has not begun.
        var first = 0
    }

    private var apps: [String: App] = [:]

    /// Adds a call; returns it where it may begin at once.
    mutating func add(_ call: Call, of app: String) -> Call? {
        guard apps[app, default: App()].active < Self.mostAtATime else {
            apps[app]?.waiting.append(call)
            return nil
        }
        apps[app, default: App()].active += 1
        return call
    }

    /// Ends a call; returns the one that begins in its place.
    mutating func end(of app: String) -> Call? {
        guard var state = apps[app] else { return nil }
        defer { apps[app] = state.active == 0 ? nil : state }
        guard state.first < state.waiting.count else {
            state.active -= 1
            return nil
        }
        let next = state.waiting[state.first]
        state.first += 1
        // Removing the first of an array moves all others: many are removed at once.
        if state.first == state.waiting.count || state.first >= 256 {
            state.waiting.removeFirst(state.first)
            state.first = 0
        }
        return next
    }
}
