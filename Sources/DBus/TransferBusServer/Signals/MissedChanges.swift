// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The news that a caller did not receive because the caller does not read its messages.
///
/// Records the changed transfers instead of the messages. A caller that is suspended for a week therefore costs a
/// bounded amount of memory (rule C7).
struct MissedChanges {
    var transfers: Set<TransferID> = []
    /// Whether properties of the manager have changed.
    var manager = false
}
