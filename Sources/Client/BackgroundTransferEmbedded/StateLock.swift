// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import LinuxKernel

/// A lock that reserves a state folder for one process.
package final class StateLock: Sendable {
    private let descriptor: Int32

    /// Locks the folder, and creates the folder if it does not exist. The lock is released when this object is
    /// deinitialized.
    ///
    /// - Throws: `TransferServiceError` if the folder cannot be created, written, or locked.
    package init(directory: String) throws(TransferServiceError) {
        do throws(PathFault) { _ = try PrivateFolder(directory) } catch {
            throw .cannotStart("cannot use the state folder \(directory) (\(error)); choose another")
        }
        descriptor = open(directory + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .cannotStart(
                "cannot write to the state folder \(directory) (\(String(cString: strerror(errno)))); "
                    + "choose another")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            throw .cannotStart(
                "another process uses the state folder \(directory); stop it, or choose another folder")
        }
    }

    deinit { Glibc.close(descriptor) }
}
