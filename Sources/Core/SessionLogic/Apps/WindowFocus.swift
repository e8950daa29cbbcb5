// SPDX-License-Identifier: Apache-2.0

/// The state of an application's windows, as the desktop reports it.
package enum WindowFocus: Hashable, Sendable {
    /// The user is working with one of the windows.
    case focused
    /// The application has windows, and the user is working with something else.
    case unfocused
    /// The application had windows and has none now.
    case closed
}
