// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Glibc

/// A lock that reserves a state folder for one process.
package final class StateLock: Sendable {
    private let descriptor: Int32

    /// Locks the folder, and creates the folder if it does not exist. The lock is released when this object is
    /// deinitialized.
    ///
    /// - Throws: `EmbeddedError` if the folder cannot be created, written, or locked.
    package init(directory: String) throws(EmbeddedError) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw EmbeddedError(
                message: "the state folder \(directory) cannot be made (\(error.localizedDescription)); name another")
        }
        descriptor = open(directory + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw EmbeddedError(
                message: "the state folder \(directory) cannot be written (\(String(cString: strerror(errno)))); "
                    + "name another")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            throw EmbeddedError(
                message: "another process works with the state folder \(directory); end it, or name another folder")
        }
    }

    deinit { Glibc.close(descriptor) }
}
