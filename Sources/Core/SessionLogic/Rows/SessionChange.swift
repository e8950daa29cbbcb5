// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A change to one stored row.
package enum SessionChange: Hashable, Sendable {
    case session(SessionKey, SessionRecord)
    case task(SessionKey, TaskRecord)
    case taskRemoved(SessionKey, Int)
    /// Removes a session together with all of its tasks.
    case removed(SessionKey)
}
