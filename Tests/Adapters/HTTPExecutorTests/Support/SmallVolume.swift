// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// A separate file system that is mounted for a test.
struct SmallVolume {
    let path: String

    /// Mounts a tmpfs of the given size. Returns `nil` if mounting is not permitted.
    init?(bytes: Int, isReadOnly: Bool = false) {
        path = NSTemporaryDirectory() + "transfer-volume-\(UUID().uuidString)"
        guard mkdir(path, 0o755) == 0 else { return nil }
        guard mount("tmpfs", path, "tmpfs", isReadOnly ? UInt(MS_RDONLY) : 0, "size=\(bytes)") == 0 else {
            rmdir(path)
            return nil
        }
    }

    func remove() {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    /// A Boolean value that indicates whether tests can mount file systems on this machine.
    static let isPossible: Bool = {
        guard let volume = SmallVolume(bytes: 1 << 20) else { return false }
        volume.remove()
        return true
    }()
}
