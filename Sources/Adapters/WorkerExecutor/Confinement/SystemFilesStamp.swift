// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The identity of the files for name resolution and of the certificates.
///
/// A confined process can still read a file that was rewritten, but not a file that replaced it. A worker whose stamp
/// is out of date receives no further attempts.
struct SystemFilesStamp: Hashable, Sendable {
    private var files: [String]

    /// Creates the current stamp, including a file with additional certificates.
    init(caFile: String?) {
        let paths = ["resolv.conf", "hosts", "nsswitch.conf", "gai.conf"].map { "/etc/" + $0 }
        files = (paths + [caFile].compactMap { $0 }).map { path in
            var status = stat()
            return stat(path, &status) == 0 ? "\(status.st_dev) \(status.st_ino)" : ""
        }
    }
}
