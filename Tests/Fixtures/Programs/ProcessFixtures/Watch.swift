// SPDX-License-Identifier: Apache-2.0
import CProcess
import Foundation

/// A source of changes outside of this process: files that change, a process that ends, or a readable descriptor.
///
/// ```swift
/// try await waitUntil("the file exists", within: 10, watching: .files(in: folder)) { exists(folder + "/file") }
/// ```
package final class Watch: Sendable {
    private let descriptor: Int32
    private let isOwner: Bool
    /// A Boolean value that indicates whether the descriptor delivers events that must be read.
    private let hasEvents: Bool

    private init(_ descriptor: Int32, isOwner: Bool = true, hasEvents: Bool = false) {
        (self.descriptor, self.isOwner, self.hasEvents) = (descriptor, isOwner, hasEvents)
    }

    deinit { if isOwner { close(descriptor) } }

    /// Watches the files in folders: creations, writes, renamings, and removals. Files in their subfolders do not count.
    ///
    /// - Throws: `FixtureError` if a folder does not exist.
    package static func files(in folders: String...) throws -> Watch {
        let watch = Watch(inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)), hasEvents: true)
        let events = IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB
        for folder in folders where inotify_add_watch(watch.descriptor, folder, UInt32(events)) < 0 {
            throw FixtureError("cannot watch \(folder): \(String(cString: strerror(errno)))")
        }
        return watch
    }

    /// Watches for the end of a process. Returns `nil` if the process does not exist.
    package static func end(of process: Int32) -> Watch? {
        let descriptor = transfer_open_process(process)
        return descriptor < 0 ? nil : Watch(descriptor)
    }

    /// Watches a descriptor that the caller reads and closes.
    package static func readable(_ descriptor: Int32) -> Watch { Watch(descriptor, isOwner: false) }

    /// A Boolean value that indicates whether the descriptor is readable: the process has ended, or bytes have arrived.
    package var isReadable: Bool {
        var entry = entry
        return poll(&entry, 1, 0) > 0
    }

    /// The entry for poll(2).
    var entry: pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }

    /// Forgets the events so far.
    func clear() {
        guard hasEvents else { return }
        var bytes = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }

    /// Waits for the next change.
    ///
    /// - Returns: `false` if nothing changes within the time.
    package func change(within seconds: Double) async throws -> Bool {
        defer { clear() }
        return try await Readiness.shared.wait(for: [entry], until: .now + .seconds(seconds))
    }
}

/// Waits for `condition`, which is evaluated again after each change in one of the watches.
///
/// Without watches, `condition` is evaluated every ten milliseconds. This is for states that change without an event,
/// such as another program's answers. An expensive condition is evaluated less often, and takes at most half of a
/// processor.
package nonisolated(nonsending) func waitUntil(
    _ what: String, within seconds: Double, watching watches: Watch..., condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
        for watch in watches { watch.clear() }
        let began = ContinuousClock.now
        if try await condition() { return }
        let end = ContinuousClock.now
        guard end < deadline else { throw FixtureError("timed out after \(seconds) s, waiting until: \(what)") }
        try await Task.sleep(for: max(end - began, .milliseconds(watches.isEmpty ? 10 : 1)))
        if !watches.isEmpty { _ = try await Readiness.shared.wait(for: watches.map(\.entry), until: deadline) }
    }
}

/// Waits until a file in an existing folder contains a text.
package func waitForText(_ text: String, in file: String, within seconds: Double = 60) async throws {
    func content() -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
    do {
        try await waitUntil("'\(text)' in \(file)", within: seconds, watching: .files(in: folder)) {
            content().contains(text)
        }
    } catch { throw FixtureError("\(error)\n\(content().suffix(3000))") }
}

/// Waits for the end of a process that another program has started.
package func waitForEnd(of process: Int32, within seconds: Double = 60) async throws {
    guard let end = Watch.end(of: process) else { return }
    try await waitUntil("process \(process) has ended", within: seconds, watching: end) { end.isReadable }
}

/// Runs blocking code on a thread of its own.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
