// SPDX-License-Identifier: Apache-2.0
@preconcurrency import Dispatch
import Foundation

/// Reports changes of one name in a folder: a file is created, replaced, written, or removed.
///
/// Uses one descriptor. Nothing runs while the folder does not change.
package final class FolderWatch: Sendable {
    private let source: any DispatchSourceRead

    /// Starts watching until this object is released. Returns `nil` if the kernel does not allow it, for example because
    /// the folder does not exist.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - name: The name of the file in the folder.
    ///   - onChange: Called on a separate thread after each change, also if the kernel lost track of the changes.
    package init?(folder: String, name: String, onChange: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE)
        guard inotify_add_watch(descriptor, folder, events) >= 0 else {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "folder-watch"))
        source.setEventHandler { if Self.hasEvent(of: name, from: descriptor) { onChange() } }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    /// Starts watching the file at a path.
    package convenience init?(of file: String, onChange: @escaping @Sendable () -> Void) {
        let (folder, name) = ((file as NSString).deletingLastPathComponent, (file as NSString).lastPathComponent)
        self.init(folder: folder, name: name, onChange: onChange)
    }

    deinit { source.cancel() }

    /// Reads all pending events. Returns whether an event is about the file `name`, or events were lost.
    private static func hasEvent(of name: String, from descriptor: Int32) -> Bool {
        var isFound = false
        var bytes = [UInt8](repeating: 0, count: 4096)
        let header = MemoryLayout<inotify_event>.size
        while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
            var start = 0
            while start + header <= count {
                let event = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self) }
                let text = bytes[(start + header)..<min(start + header + Int(event.len), count)].prefix { $0 != 0 }
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 || text.elementsEqual(name.utf8) { isFound = true }
                start += header + Int(event.len)
            }
        }
        return isFound
    }
}
