// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The operations of sessions that depend on URLs and folders.
package protocol RequestResolver: Sendable {
    /// Returns the specification of a task's transfer. The caller fills in the traits, except for the host and the
    /// loopback flag.
    ///
    /// - Throws: `UnusableTask` if the task cannot become a transfer. The task ends with the error's failure.
    func specification(
        of task: TaskSnapshot, in session: SessionKey, by settings: SessionSettings, at now: WallTime
    ) throws(UnusableTask) -> TransferSpecification
    /// Returns the absolute path of the folder in which the app keeps the files of a session's named tasks.
    func namedFilesFolder(of session: SessionKey, by settings: SessionSettings) -> String
    /// Removes a finished file that its app did not claim.
    func remove(_ file: String)
}
