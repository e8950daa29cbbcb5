// SPDX-License-Identifier: Apache-2.0

/// What a desktop tells of the windows of an application.
package enum WindowFocus: Hashable, Sendable {
    /// A person works with one of them.
    case focused
    /// There are some, and a person works with something else.
    case unfocused
    /// There were some, and are none now.
    case closed
}
