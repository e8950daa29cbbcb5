// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// A file system of its own, mounted for a test.
struct SmallVolume {
    let path: String

    /// A tmpfs of that many bytes; nil where mounting is not allowed.
    init?(bytes: Int, isReadOnly: Bool = false) {
        path = NSTemporaryDirectory() + "transfer-volume-\(UUID().uuidString)"
        guard mkdir(path, 0o755) == 0 else { return nil }
        guard mount("tmpfs", path, "tmpfs", isReadOnly ? UInt(MS_RDONLY) : 0, "size=\(bytes)") == 0 else {
            rmdir(path)
            return nil
        }
    }

    /// Whether that could be done: not while somebody writes there.
    func remount(isReadOnly: Bool) -> Bool {
        mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0), nil) == 0
    }

    func remove() {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    /// Whether this machine lets a test mount.
    static let isPossible: Bool = {
        guard let volume = SmallVolume(bytes: 1 << 20) else { return false }
        volume.remove()
        return true
    }()
}
