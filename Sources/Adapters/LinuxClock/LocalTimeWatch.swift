// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import LinuxKernel
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
    private let folder = Mutex<FolderWatch?>(nil)
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
        step = (try? TimerDescriptor.open(clock: CLOCK_REALTIME)).map { TimerDescriptor(descriptor: $0) }
        let watch = FolderWatch(of: file) { [weak self] in self?.readRules() }
        folder.withLock { $0 = watch }
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

    deinit { step?.close() }

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
