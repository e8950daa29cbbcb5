// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Glibc

/// Keeps a state folder to one process.
package final class StateLock: Sendable {
    private let descriptor: Int32

    /// Takes the folder, which is made where there is none; it is free again once this is gone.
    ///
    /// - Throws: `EmbeddedError`.
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
