// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation

/// The library's own interface: no delegate, and each download has a name.
extension AppDelegate {
    /// Downloads the episodes that are not in the library, and waits for them.
    ///
    /// After a crash, the same command joins the downloads that run, and finds the files of those that have ended.
    func fetchAndWait(_ feed: URL) async throws {
        var configuration = BackgroundSessionConfiguration(identifier: "podcasts awaited")
        // The downloads wait for the next fetch. The program need not be started for them.
        configuration.sendsLaunchEvents = false
        let session = try await BackgroundSession.open(configuration)
        let episodes = try await Feed.episodes(at: feed).filter { !library.contains($0.name) }
        let requests = episodes.map { ($0.name, URLRequest(url: $0.url)) }
        let transfers = try await session.transfers(
            for: Dictionary(requests) { first, _ in first }, options: .whenUnmetered)
        print("\(transfers.ids.count) new episodes")
        for transfer in transfers.ids.compactMap({ transfers[$0] }) {
            if let wait = try await transfer.wait() { print("\(transfer.id): \(wait)") }
        }
        for transfer in transfers.ids.compactMap({ transfers[$0] }) {
            do {
                try library.add(try await transfer.file, as: transfer.id)
                try await session.remove(id: transfer.id)
                print("\(transfer.id): done")
            } catch {
                print("\(transfer.id): \(error.localizedDescription)")
            }
        }
    }
}
