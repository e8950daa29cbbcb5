// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation

/// An app with two download managers: `ManagerApp computed URL…`, or `ManagerApp IDENTIFIER URL…`.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let words = CommandLine.arguments.dropFirst()
        let urls = words.dropFirst().compactMap { URL(string: $0) }
        switch words.first {
        case "computed"?: urls.forEach(DownloadManager.shared.start)
        case let identifier?:
            urls.forEach { BackgroundTransfers.shared.download($0, inSessionWithIdentifier: identifier) }
        case nil: break
        }
        return true
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        say("handle \(identifier)")
        if identifier == DownloadManager.shared.session.configuration.identifier {
            DownloadManager.shared.backgroundCompletionHandler = completionHandler
        } else {
            BackgroundTransfers.shared.completionHandlers[identifier] = completionHandler
            _ = BackgroundTransfers.shared.session(withIdentifier: identifier)
        }
    }
}

/// Appends a line to the log of the test.
func say(_ line: String) {
    guard let path = ProcessInfo.processInfo.environment["MANAGER_LOG"] else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    defer { close(descriptor) }
    let bytes = Array((line + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
}
