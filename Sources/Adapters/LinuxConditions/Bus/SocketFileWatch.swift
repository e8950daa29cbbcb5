// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc

/// Reports that a file may have appeared, by watching its folder or its nearest existing ancestor.
final class SocketFileWatch {
    private let descriptor: Int32
    private var source: GLibSource?

    /// Starts watching; `nil` if the kernel does not allow it.
    init?(path: String, on executor: GLibExecutor, onHint body: @escaping () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        Self.watch(path, descriptor)
        source = executor.watch(descriptor: descriptor) {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while read(descriptor, &bytes, bytes.count) > 0 {}
            // A nearer ancestor may exist by now.
            Self.watch(path, descriptor)
            body()
        }
    }

    deinit {
        source?.cancel()
        close(descriptor)
    }

    private static func watch(_ path: String, _ descriptor: Int32) {
        var folder = path[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF)
            if inotify_add_watch(descriptor, folder.isEmpty ? "/" : String(folder), events) >= 0 { return }
        }
    }
}
