// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A report on a queue whose file was found damaged and was replaced.
public struct StateLoss: Hashable, Sendable, CustomStringConvertible {
    /// The path of the damaged file, kept for inspection.
    public var damagedFile: String
    /// The date of the backup that replaced the file; nil if the queue began empty because there was no good backup.
    public var backupDate: WallTime?
    /// The damage, as SQLite describes it.
    public var reason: String

    /// A summary of four sentences for display to the user.
    public var description: String {
        let rest =
            backupDate == nil
            ? "There was no good backup, so the queue began empty: what waited has to be handed over again."
            : "A backup took its place: what was handed over or ended since it was made is lost or comes once more."
        return
            "The queue was damaged (\(reason)). It was moved to \(damagedFile), and stays there until a transfer with "
            + "secrets ends, at most for a week. \(rest) Partial files are kept."
    }
}
