// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc

/// Watches a file, including its creation and removal.
final class FileWatch {
    private let path: String
    private let descriptor: Int32
    private var source: GLibSource?
    private var watched: Int32?

    /// Starts watching; `nil` if the kernel does not allow it.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the file.
    ///   - executor: The executor on whose thread changes are reported.
    ///   - onChange: Called after each change.
    init?(path: String, on executor: GLibExecutor, onChange: @escaping () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        self.path = path
        self.descriptor = descriptor
        watchNearestFolder()
        source = executor.watch(descriptor: descriptor) { [weak self] in
            guard let self else { return }
            discardEvents()
            watchNearestFolder()
            onChange()
        }
    }

    deinit {
        source?.cancel()
        close(descriptor)
    }

    private func discardEvents() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while Glibc.read(descriptor, &bytes, bytes.count) > 0 {}
    }

    /// Watches the file's folder, or its nearest existing ancestor.
    private func watchNearestFolder() {
        var folder = path[...]
        var isAbove = false
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            let name = folder.isEmpty ? "/" : String(folder)
            var events = IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
            // Not every write: a program that changes the file closes it, or replaces it with another file.
            if !isAbove { events |= IN_MOVED_FROM | IN_CLOSE_WRITE | IN_DELETE }
            let id = inotify_add_watch(descriptor, name, UInt32(events))
            defer { isAbove = true }
            guard id >= 0 else { continue }
            if let watched, watched != id { inotify_rm_watch(descriptor, watched) }
            watched = id
            return
        }
    }
}
