// SPDX-License-Identifier: Apache-2.0
@preconcurrency import Dispatch
import Foundation
import Glibc
import Synchronization
public import TransferModel

/// Reports changes of the machine's time zone, and changes of its clock after which other rules apply.
///
/// Uses two descriptors, one for the folder of the zone's file and one for changes of the clock. Nothing runs while
/// neither changes. A process whose zone is set by `TZ` keeps that zone.
///
/// ```swift
/// let watch = LocalTimeWatch { rules in print(rules.offsetSeconds(at: ClockReading.readClocks().wall)) }
/// ```
public final class LocalTimeWatch: Sendable {
    private let file: String
    private let onChange: @Sendable (LocalTimeRules) -> Void
    private let folder: (any DispatchSourceRead)?
    private let step: TimerDescriptor?
    private let lastReported: Mutex<LocalTimeRules>
    private let now: @Sendable () -> WallTime

    /// Starts watching until this object is released. Calls `onChange` on a separate thread.
    ///
    /// - Parameters:
    ///   - file: The path of the zone's file.
    ///   - onChange: Receives the new rules.
    public convenience init(
        file: String = "/etc/localtime", onChange: @escaping @Sendable (LocalTimeRules) -> Void
    ) {
        self.init(file: file, now: { ClockReading.readClocks().wall }, onChange: onChange)
    }

    /// Starts watching, with the wall clock read by `now`.
    init(
        file: String, now: @escaping @Sendable () -> WallTime, onChange: @escaping @Sendable (LocalTimeRules) -> Void
    ) {
        self.file = file
        self.onChange = onChange
        self.now = now
        lastReported = Mutex(LocalTimeRules(systemZoneIn: file, at: now()))
        folder = Self.watch(folderOf: file)
        step = (try? TimerDescriptor.open(clock: CLOCK_REALTIME)).map { TimerDescriptor(descriptor: $0) }
        let name = Self.split(file).name
        if let folder {
            let descriptor = Int32(folder.handle)
            folder.setEventHandler { [weak self] in
                if Self.hasEvent(of: name, from: descriptor) { self?.readRules() }
            }
        }
        folder?.activate()
        step?.onReadable { [weak self, weak step] in
            guard let step else { return }
            let outcome = step.readExpiry()
            step.armForClockSteps()
            if outcome == .clockSet { self?.clockWasSet() }
        }
        step?.armForClockSteps()
        // Reports changes from before the watch began.
        readRules()
    }

    deinit {
        folder?.cancel()
        step?.close()
    }

    /// Reads the rules again. The reported rules reach only a few years ahead, so other rules may apply after a change
    /// of the clock.
    func clockWasSet() { readRules() }

    private func readRules() {
        let now = now()
        let rules = LocalTimeRules(systemZoneIn: file, at: now)
        let isNew = lastReported.withLock { lastReported in
            guard !lastReported.agrees(with: rules, at: now) else { return false }
            lastReported = rules
            return true
        }
        if isNew { onChange(rules) }
    }

    private static func split(_ file: String) -> (folder: String, name: String) {
        guard let slash = file.lastIndex(of: "/") else { return (".", file) }
        return (slash == file.startIndex ? "/" : String(file[..<slash]), String(file[file.index(after: slash)...]))
    }

    private static func watch(folderOf file: String) -> (any DispatchSourceRead)? {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE)
        inotify_add_watch(descriptor, split(file).folder, events)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "local-time"))
        source.setCancelHandler { close(descriptor) }
        return source
    }

    /// Reads all pending events. Returns whether an event is about the file `name`, or events were lost.
    private static func hasEvent(of name: String, from descriptor: Int32) -> Bool {
        var isHint = false
        var bytes = [UInt8](repeating: 0, count: 4096)
        let header = MemoryLayout<inotify_event>.size
        while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
            var start = 0
            while start + header <= count {
                let event = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self) }
                let text = bytes[(start + header)..<min(start + header + Int(event.len), count)].prefix { $0 != 0 }
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 || text.elementsEqual(name.utf8) { isHint = true }
                start += header + Int(event.len)
            }
        }
        return isHint
    }
}

extension LocalTimeRules {
    /// Creates the rules of the machine's time zone, read again. The target of the link `file` identifies the zone.
    public init(systemZoneIn file: String = "/etc/localtime") {
        self.init(systemZoneIn: file, at: ClockReading.readClocks().wall)
    }

    fileprivate init(systemZoneIn file: String, at now: WallTime) {
        self.init(current: now, zone: TimeZone.systemZone(in: file))
    }

    /// Returns whether both rules give the same offsets from now on, as far as both reach. The older rules may know
    /// fewer changes, and may still contain changes that have passed.
    fileprivate func agrees(with newer: LocalTimeRules, at now: WallTime) -> Bool {
        guard offsetSeconds(at: now) == newer.offsetSeconds(at: now) else { return false }
        let ahead = changes.filter { $0.start > now }
        // If the older rules contain no more changes, changes in the newer rules must be reported.
        return ahead.isEmpty ? newer.changes.isEmpty : newer.changes.starts(with: ahead)
    }
}

extension TimeZone {
    /// Returns the time zone into whose data a file links, or `nil` if the C library decides: `TZ` is set, or the file
    /// is a copy.
    fileprivate static func systemZone(in file: String) -> TimeZone? {
        guard getenv("TZ") == nil else { return nil }
        for target in [try? FileManager.default.destinationOfSymbolicLink(atPath: file), realPath(file)] {
            guard let target, let range = target.range(of: "/zoneinfo/", options: .backwards) else { continue }
            if let zone = TimeZone(identifier: String(target[range.upperBound...])) { return zone }
        }
        return nil
    }

    private static func realPath(_ file: String) -> String? {
        guard let path = realpath(file, nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }
}
