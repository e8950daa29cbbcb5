// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A report on a damaged queue file that was replaced.
public struct StateLoss: Hashable, Sendable, CustomStringConvertible {
    /// The path of the damaged file, kept for inspection.
    public var damagedFile: String
    /// The date of the backup that replaced the file; `nil` if the queue began empty because there was no good backup.
    public var backupDate: WallTime?
    /// The damage, as SQLite describes it.
    public var reason: String

    /// A summary of four sentences for display to the user.
    public var description: String {
        let rest =
            backupDate == nil
            ? "There was no good backup, so the queue starts empty: submit the waiting transfers again."
            : "A backup was restored: later submissions are lost, and transfers that ended later run again."
        return
            "The queue was damaged (\(reason)). The file was moved to \(damagedFile), and is removed after a transfer with "
            + "secrets ends, or after a week. \(rest) Partial files are kept."
    }
}
