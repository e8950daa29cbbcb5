// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A timer of the machine. Setting a timer replaces an earlier timer with the same name.
package enum SessionTimer: Hashable, Sendable {
    /// Fires when an app is asked whether a task may begin.
    case begin(SessionKey, Int)
    /// Fires when a started app has run out of time to handle its session.
    case handlingTimeLimit(String)
    /// Fires when an app may be started again.
    case pause(String)
}
