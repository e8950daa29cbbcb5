// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation

/// A podcast fetcher. It downloads the new episodes of a feed in the background.
///
///     podcasts fetch FEED            submits the downloads and exits; the bus starts the program when they are done
///     podcasts fetch --await FEED    waits for the downloads; after a crash, the same command joins them
///     podcasts list                  prints the names of the downloaded episodes
@main
@MainActor
final class AppDelegate: NSObject, @MainActor UIApplicationDelegate {
    let library = Library()
    private var completionHandler: (() -> Void)?
    /// The session, which every process of the program creates again with the same identifier.
    private lazy var session = URLSession(
        configuration: .background(withIdentifier: "podcasts"), delegate: Downloads(into: library), delegateQueue: nil)

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // The argument in the service file. The daemon then calls the program for its events.
        application.isStartedForEvents = arguments == ["--background"]
        Task {
            do {
                try await perform(arguments, in: application)
            } catch {
                print("podcasts: \(error.localizedDescription)")
                exit(1)
            }
        }
        return true
    }

    private func perform(_ arguments: [String], in application: UIApplication) async throws {
        if arguments.first == "list" {
            for name in library.names { print(name) }
        } else if arguments.first == "fetch", arguments.count > 1,
            let feed = URL(string: arguments[arguments.count - 1])
        {
            try register(application)
            try await arguments.contains("--await") ? fetchAndWait(feed) : fetch(feed)
        } else if application.isStartedForEvents {
            return try register(application)
        } else {
            print("usage: podcasts fetch [--await] FEED, or podcasts list")
            exit(2)
        }
        exit(0)
    }

    /// Gives the program the name by which the bus starts it. Without an Info.plist beside the program, there is no
    /// name, and the daemon runs a command.
    private func register(_ application: UIApplication) throws {
        application.relaunchCommand = Bundle.main.executablePath.map { [$0, "--background"] }
        if let name = Bundle.main.bundleIdentifier { try application.acquireName(name) }
    }

    /// Submits the episodes that are neither in the library nor in the session.
    private func fetch(_ feed: URL) async throws {
        let episodes = try await Feed.episodes(at: feed)
        // The tasks first: the delegate may move a file into the library at any time.
        let names = Set(await session.allTasks.compactMap(\.taskDescription))
        let new = episodes.filter { !names.contains($0.name) && !library.contains($0.name) }
        for episode in new {
            let task = session.downloadTask(with: episode.url)
            task.taskDescription = episode.name
            task.resume()
        }
        print("\(new.count) new episodes")
    }

    // MARK: Events

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        self.completionHandler = completionHandler
        _ = session
    }

    /// Tells the system that the events have been handled.
    func finishEvents() {
        completionHandler?()
        completionHandler = nil
    }
}
