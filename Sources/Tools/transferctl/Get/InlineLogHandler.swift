// SPDX-License-Identifier: Apache-2.0
import Logging

/// A log handler that shows log messages between the progress lines.
struct InlineLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    let show: @Sendable (String) -> Void

    /// Returns a logger that shows warnings and errors, or everything if the user requested verbose output.
    static func logger(isVerbose: Bool, show: @escaping @Sendable (String) -> Void) -> Logger {
        Logger(label: "transferctl") { _ in InlineLogHandler(logLevel: isVerbose ? .debug : .warning, show: show) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let data = all.map { " \($0.key)=\($0.value)" }.joined()
        show("\(event.level): \(event.message)\(data)")
    }
}
