// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The fate of a queue whose file was found to be damaged.
public struct StateLoss: Hashable, Sendable, CustomStringConvertible {
    /// The path of the damaged file, for people who want to look into it.
    public var damagedFile: String
    /// The date of the backup that took its place; nil if there was none, so that the queue began empty.
    public var backupDate: WallTime?
    /// The damage, in the words of SQLite.
    public var reason: String

    /// One or two sentences for people.
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
