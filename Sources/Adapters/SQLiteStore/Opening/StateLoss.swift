// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// What became of a queue whose file was found to be damaged.
public struct StateLoss: Hashable, Sendable, CustomStringConvertible {
    /// Where the damaged file lies now, for who wants to look into it.
    public var damagedFile: String
    /// When the backup was made that took its place; nil where there was none, so that the queue began empty.
    public var backupDate: WallTime?
    /// What was wrong.
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
