// SPDX-License-Identifier: Apache-2.0

/// A way to freeze all processes of a command. Used on the executor's queue.
protocol CommandFreezer: AnyObject {
    /// The process IDs of helpers that do not belong to the command.
    var helpers: Set<Int32> { get }

    /// Handles the end of a helper, which must exist as long as processes are frozen.
    func helperEnded(_ process: Int32)

    /// Freezes all processes of the command. Safe to repeat.
    ///
    /// - Throws: `FreezeError` if processes continue to run.
    func freeze() throws(FreezeError)

    /// Continues all processes that were frozen. Safe to repeat.
    func thaw()
}
