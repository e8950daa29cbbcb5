// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// What of sessions depends on URLs and folders.
package protocol SessionPlace: Sendable {
    /// What has to be transferred for a task; its traits are for the caller to fill in but for host and loopback.
    ///
    /// - Throws: `FailureDescription`, with which the task ends, where it cannot be.
    func specification(
        of task: TaskSnapshot, in session: SessionKey, by settings: SessionSettings, at now: WallTime
    ) throws(UnusableTask) -> TransferSpecification
    /// Removes a finished file that its app did not take.
    func remove(_ file: String)
}
