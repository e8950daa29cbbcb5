// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var backgroundCompletionHandler: (() -> Void)?
    private let downloader = Downloader()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        CommandLine.arguments.dropFirst().compactMap { URL(string: $0) }.forEach(downloader.download)
        downloader.reconnect()
        return true
    }
}
