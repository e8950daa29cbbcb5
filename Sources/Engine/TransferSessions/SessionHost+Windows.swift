// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel

/// What a desktop tells of the windows of an application.
package enum WindowFocus: Hashable, Sendable {
    /// A person works with one of them.
    case focused
    /// There are some, and a person works with something else.
    case unfocused
    /// There were some, and are none now.
    case closed
}

/// Which apps a person works with, as the desktop knows it.
extension SessionHost {
    /// The desktop tells of its windows: all that it tells, by the names of apps. An app that is not among them is in
    /// front, or not, as it says itself.
    ///
    /// What a desktop no longer tells of an app is withdrawn: nobody has brought that one to the front.
    package func noteWindows(_ windows: [String: WindowFocus]) {
        let before = self.windows
        self.windows = windows
        let known = Set(sessions.keys.map(\.app)).union(sessions.values.compactMap(\.client?.app))
        for app in known.sorted() where before[app] != windows[app] {
            apps[app, default: AppState()].window = windows[app]
            if windows[app] == .focused { engine.appCameToFront(app) }
        }
    }

    /// What is known of the windows of an app of which a new process has come.
    ///
    /// - Parameter isStartedByUs: else somebody has started it anew, and the windows that are closed were another's.
    func window(ofNew app: String, isStartedByUs: Bool) -> WindowFocus? {
        let window = windows[app]
        return window == .closed && !isStartedByUs ? nil : window
    }
}
