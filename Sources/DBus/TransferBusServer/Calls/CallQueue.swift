// SPDX-License-Identifier: Apache-2.0

/// A queue of each app's calls that limits the number of calls in progress and preserves their order.
///
/// The service works on only a few calls of each app at a time. An app that makes thousands of calls therefore cannot
/// starve other apps.
struct CallQueue<Call> {
    /// The maximum number of an app's calls in progress. The number is high enough for many submissions to share a
    /// single sync of the disk.
    static var maximumConcurrent: Int { 16 }

    private struct App {
        var active = 0
        var waiting: [Call] = []
        /// The index in `waiting` of the first call that has not begun.
        var first = 0
    }

    private var apps: [String: App] = [:]

    /// Adds a call. Returns the call if it may begin immediately; otherwise returns `nil`.
    mutating func add(_ call: Call, of app: String) -> Call? {
        guard apps[app, default: App()].active < Self.maximumConcurrent else {
            apps[app]?.waiting.append(call)
            return nil
        }
        apps[app, default: App()].active += 1
        return call
    }

    /// Ends a call. Returns the app's next waiting call, which takes the freed slot; `nil` if no call waits.
    mutating func end(of app: String) -> Call? {
        guard var state = apps[app] else { return nil }
        defer { apps[app] = state.active == 0 ? nil : state }
        guard state.first < state.waiting.count else {
            state.active -= 1
            return nil
        }
        let next = state.waiting[state.first]
        state.first += 1
        // Removing the first element of an array moves all others, so calls are removed in batches.
        if state.first == state.waiting.count || state.first >= 256 {
            state.waiting.removeFirst(state.first)
            state.first = 0
        }
        return next
    }
}
