// SPDX-License-Identifier: Apache-2.0
@preconcurrency import Dispatch
import Foundation

/// Reports changes of one name in a folder: a file is created, replaced, written, or removed.
///
/// Uses one descriptor. Nothing runs while the folder does not change.
package final class FolderWatch: Sendable {
    private let source: any DispatchSourceRead

    /// Starts watching until this object is released. Returns `nil` if the kernel does not allow it. A folder that does
    /// not exist is watched once it does.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the folder.
    ///   - name: The name of the file in the folder.
    ///   - onChange: Called on a separate thread after each change, also if the kernel lost track of the changes.
    package init?(folder: String, name: String, onChange: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        guard var watched = Self.watchNearest(folder, by: descriptor, instead: nil) else {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "folder-watch"))
        source.setEventHandler {
            let hasEvent = Self.hasEvent(of: name, from: descriptor)
            let former = watched
            watched = Self.watchNearest(folder, by: descriptor, instead: former) ?? former
            // The file may have come, or gone, together with its folder.
            if hasEvent && watched.isFolder || watched != former { onChange() }
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    /// Starts watching the file at a path.
    package convenience init?(of file: String, onChange: @escaping @Sendable () -> Void) {
        let (folder, name) = ((file as NSString).deletingLastPathComponent, (file as NSString).lastPathComponent)
        self.init(folder: folder, name: name, onChange: onChange)
    }

    deinit { source.cancel() }

    /// A watch of the kernel, on the folder itself or on the nearest folder above that exists.
    private struct Watched: Equatable {
        var number: Int32
        var isFolder: Bool
    }

    /// Watches the folder, or the nearest folder above that exists. Returns `nil` if none can be watched.
    private static func watchNearest(_ folder: String, by descriptor: Int32, instead former: Watched?) -> Watched? {
        var path = folder[...]
        var watched: Watched?
        while true {
            let isFolder = path.count == folder.count
            var events = IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
            if isFolder { events |= IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE }
            let number = inotify_add_watch(descriptor, path.isEmpty ? "/" : String(path), UInt32(events))
            let found = number >= 0 ? Watched(number: number, isFolder: isFolder) : nil
            if let found, found.isFolder || found == watched {
                if let former, former.number != number { inotify_rm_watch(descriptor, former.number) }
                return found
            }
            if found != nil {
                // A folder below may have been made before this one was watched.
                (watched, path) = (found, folder[...])
            } else if let slash = path.lastIndex(of: "/") {
                path = path[..<slash]
            } else {
                return nil
            }
        }
    }

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
