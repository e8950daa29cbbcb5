// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import LinuxKernel

/// A lock that reserves a state folder for one process.
package final class StateLock: Sendable {
    private let descriptor: Int32

    /// Locks the folder, and creates the folder if it does not exist. The lock is released when this object is
    /// deinitialized.
    ///
    /// - Throws: `EmbeddedError` if the folder cannot be created, written, or locked.
    package init(directory: String) throws(EmbeddedError) {
        do throws(PathFault) { _ = try PrivateFolder(directory) } catch {
            throw EmbeddedError(message: "cannot use the state folder \(directory) (\(error)); choose another")
        }
        descriptor = open(directory + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw EmbeddedError(
                message: "cannot write to the state folder \(directory) (\(String(cString: strerror(errno)))); "
                    + "choose another")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            throw EmbeddedError(
                message: "another process uses the state folder \(directory); stop it, or choose another folder")
        }
    }

    deinit { Glibc.close(descriptor) }
}
