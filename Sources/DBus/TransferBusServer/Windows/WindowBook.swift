// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
import TransferSessions

/// The windows of applications as desktops tell of them, and the focus of the apps of the same names that follows.
///
/// Not every desktop knows which window has the focus: some call all that run the same. That a person does not work with an
/// application is believed only where the desktop has shown that it knows better.
struct WindowBook {
    /// The state of an application as a desktop tells it (`GetAppState` of `org.freedesktop.impl.portal.Background`).
    enum State: Int64 {
        /// It has no open window.
        case background = 0
        /// It has one.
        case running = 1
        /// A person works with it.
        case active = 2
    }

    /// By desktop, what follows for the apps of which it tells enough.
    private var desktops: [String: [String: WindowFocus]] = [:]

    /// The focus of apps that follows from all that desktops tell, by the names of apps.
    var windows: [String: WindowFocus] {
        desktops.sorted { $0.key < $1.key }.reduce(into: [:]) { all, desktop in
            all.merge(desktop.value) { [$0, $1].contains(.focused) ? .focused : $0 }
        }
    }

    /// Takes in what a desktop answers: all applications that it lists.
    mutating func take(_ values: [String: VariantValue], from desktop: String) {
        var states: [String: State] = [:]
        for (id, value) in values {
            // One of a later version, perhaps: it says nothing to us.
            guard let state = value.integer.flatMap(State.init) else { continue }
            let app = id.hasSuffix(".desktop") ? String(id.dropLast(8)) : id
            if state.rawValue >= states[app]?.rawValue ?? 0 { states[app] = state }
        }
        let before = desktops[desktop]
        let isFocusTold = states.values.contains(.active)
        var windows: [String: WindowFocus] = [:]
        for (app, state) in states {
            switch state {
            case .active: windows[app] = .focused
            // One that has just come may not have its focus yet. At the first look it has had the time.
            case .running where before.map { $0[app] != nil } ?? isFocusTold: windows[app] = .unfocused
            case .running, .background: break
            }
        }
        for app in (before ?? [:]).keys where windows[app] == nil { windows[app] = .closed }
        desktops[desktop] = windows
    }

    /// A desktop tells nothing any more.
    mutating func forget(_ desktop: String) { desktops[desktop] = nil }
}
