// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The identity of the files by which names are resolved, and of the certificates.
///
/// A confined process may go on reading a file that was written anew, but not one that took its place: a worker whose stamp
/// is not the present one gets no further attempts.
struct SystemFilesStamp: Hashable, Sendable {
    private var files: [String]

    /// The present stamp, with a file of certificates beside the system's.
    init(caFile: String?) {
        let paths = ["resolv.conf", "hosts", "nsswitch.conf", "gai.conf"].map { "/etc/" + $0 }
        files = (paths + [caFile].compactMap { $0 }).map { path in
            var status = stat()
            return stat(path, &status) == 0 ? "\(status.st_dev) \(status.st_ino)" : ""
        }
    }
}
