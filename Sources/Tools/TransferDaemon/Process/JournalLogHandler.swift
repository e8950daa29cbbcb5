// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import ToolSupport

/// A log handler for the systemd journal.
///
/// Each line begins with its priority, as described in sd-daemon(3). Lines have no time, because the journal adds
/// one.
struct JournalLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    /// Whether standard error is connected to the journal. systemd sets `JOURNAL_STREAM` (systemd.exec(5)) to the
    /// device and inode numbers of that connection.
    static var isWanted: Bool {
        var status = stat()
        guard let text = ProcessInfo.processInfo.environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0
        else {
            return false
        }
        return text == "\(status.st_dev):\(status.st_ino)"
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = Self.line(event.level, "\(event.message)", metadata.merging(event.metadata ?? [:]) { $1 })
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Returns a message as a single line. Line breaks become spaces, and control characters become U+FFFD, so that
    /// no message can control a terminal.
    static func line(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) -> String {
        let values = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let text = (message + values).split(whereSeparator: \.isNewline).joined(separator: " ")
        return "<\(priority(of: level))>\(text.printable)"
    }

    /// The syslog priority of a log level.
    private static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
