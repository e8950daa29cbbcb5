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
        let environment = ProcessInfo.processInfo.environment
        if let delay = environment["TUTORIAL_DELAY"] { controller.delay = Double(delay) ?? 0 }
        controller.download(CommandLine.arguments.dropFirst().compactMap { URL(string: $0) })
        controller.showProgress()
        return true
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        controller.backgroundCompletionHandler = completionHandler
        controller.reconnect()
    }
}
