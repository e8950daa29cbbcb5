// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Synchronization
import Testing

@testable import TransferDaemon

@Suite struct FilePresenterTests {
    /// A log handler that keeps the messages.
    private struct MemoryLog: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        final class Lines: Sendable {
            let all = Mutex<[String]>([])
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.all.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }

    private let lines = MemoryLog.Lines()
    private let path = CommandLine.arguments[0]

    private var presenter: FilePresenter {
        let lines = lines
        return FilePresenter(logger: Logger(label: "test") { _ in MemoryLog(lines: lines) })
    }

    private func means(_ name: String, _ failure: String?, _ tried: Tried) -> FilePresenter.Means {
        FilePresenter.Means(name: name) {
            tried.names.withLock { $0.append(name) }
            return failure
        }
    }

    private final class Tried: Sendable {
        let names = Mutex<[String]>([])
    }

    @Test("The first means that succeeds shows the file, and the log stays empty")
    func first() async {
        let tried = Tried()
        let failure = await presenter.show(
            path, by: [means("portal", "no service", tried), means("xdg-open", nil, tried), means("other", nil, tried)])
        #expect(failure == nil)
        #expect(tried.names.withLock { $0 } == ["portal", "xdg-open"])
        #expect(lines.all.withLock { $0 }.isEmpty)
    }

    @Test("If no means succeeds, the log names each of them with its error")
    func none() async {
        let failure = await presenter.show(
            path, by: [means("portal", "no service", Tried()), means("xdg-open", "not installed", Tried())])
        #expect(failure == "portal: no service; xdg-open: not installed")
        let log = lines.all.withLock { $0 }
        #expect(log.count == 1 && log[0].contains("xdg-open: not installed") && log[0].contains(path))
    }

    @Test("A file that is gone is reported, and nothing is tried")
    func gone() async {
        let tried = Tried()
        let failure = await presenter.show("/nonexistent/f", by: [means("portal", nil, tried)])
        #expect(failure == "/nonexistent/f is gone")
        #expect(tried.names.withLock { $0 }.isEmpty && lines.all.withLock { $0 }.count == 1)
    }
}
