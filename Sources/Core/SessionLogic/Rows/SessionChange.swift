// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// One change to what is kept.
package enum SessionChange: Hashable, Sendable {
    case session(SessionKey, SessionRecord)
    case task(SessionKey, TaskRecord)
    case taskRemoved(SessionKey, Int)
    /// With all of its tasks.
    case removed(SessionKey)
}
