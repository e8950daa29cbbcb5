// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
import TransferSessions

/// A registry of application windows as desktops report them, and of the focus of the apps with the matching names.
///
/// Not every desktop knows which window has the focus: some report the same state for all running applications. An
/// application counts as unfocused only if its desktop has shown that it tracks the focus.
struct WindowRegistry {
    /// The state of an application, as a desktop reports it (`GetAppState` of
    /// `org.freedesktop.impl.portal.Background`).
    enum State: Int64 {
        /// The application has no open window.
        case background = 0
        /// The application has an open window.
        case running = 1
        /// The user works with the application.
        case active = 2
    }

    /// The focus of apps by desktop. Contains only apps about which the desktop reports enough.
    private var desktops: [String: [String: WindowFocus]] = [:]

    /// The combined focus of apps from all desktops, by app.
    var windows: [String: WindowFocus] {
        desktops.sorted { $0.key < $1.key }.reduce(into: [:]) { all, desktop in
            all.merge(desktop.value) { [$0, $1].contains(.focused) ? .focused : $0 }
        }
    }

    /// Records a desktop's complete list of applications.
    mutating func update(_ values: [String: VariantValue], from desktop: String) {
        var states: [String: State] = [:]
        for (id, value) in values {
            // The state may come from a later version of the interface, and is ignored.
            guard let state = value.integer.flatMap(State.init) else { continue }
            let app = id.hasSuffix(".desktop") ? String(id.dropLast(8)) : id
            if state.rawValue >= states[app]?.rawValue ?? 0 { states[app] = state }
        }
        let before = desktops[desktop]
        let isFocusReported = states.values.contains(.active)
        var windows: [String: WindowFocus] = [:]
        for (app, state) in states {
            switch state {
            case .active: windows[app] = .focused
            // An application that has just appeared may not have received its focus yet. In a desktop's first report,
            // the application has had enough time.
            case .running where before.map { $0[app] != nil } ?? isFocusReported: windows[app] = .unfocused
            case .running, .background: break
            }
        }
        for app in (before ?? [:]).keys where windows[app] == nil { windows[app] = .closed }
        desktops[desktop] = windows
    }

    /// Removes a desktop that no longer reports anything.
    mutating func forget(_ desktop: String) { desktops[desktop] = nil }
}
