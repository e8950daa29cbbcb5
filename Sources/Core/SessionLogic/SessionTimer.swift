// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A wait of the machine; setting it ends the one before of the same name.
package enum SessionTimer: Hashable, Sendable {
    /// For the date at which an app is asked whether a task may begin.
    case begin(SessionKey, Int)
    /// For an app that was started to deal with its session.
    case patience(String)
    /// Before an app is started again.
    case pause(String)
}
