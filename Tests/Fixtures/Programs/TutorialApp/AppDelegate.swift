// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let controller = DownloadController()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // The test shortens the delay, because the default is one hour.
        say("began \(getpid())")
        let environment = ProcessInfo.processInfo.environment
        if let delay = environment["TUTORIAL_DELAY"] { controller.delay = Double(delay) ?? 0 }
        controller.isDelayed = environment["TUTORIAL_EARLY"] == nil
        controller.download(CommandLine.arguments.dropFirst().compactMap { URL(string: $0) })
        controller.showProgress()
        // Simulates a program that starts slowly.
        if let busy = environment["TUTORIAL_BUSY"].flatMap(Double.init) { Thread.sleep(forTimeInterval: busy) }
        return true
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        say("handle \(identifier)")
        // Common code from tutorials calls the handler immediately.
        if ProcessInfo.processInfo.environment["TUTORIAL_EARLY"] != nil { return completionHandler() }
        controller.backgroundCompletionHandler = completionHandler
        controller.reconnect()
    }
}

/// Prints a line and appends the line to the log of the test.
func say(_ line: String) {
    print(line)
    guard let path = ProcessInfo.processInfo.environment["TUTORIAL_LOG"] else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    defer { close(descriptor) }
    let bytes = Array((line + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
}
