// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import FoundationNetworking
import Synchronization

/// URLSession without additional code, as a peer in `small-files`. Runs a number of concurrent data tasks and writes
/// each body to its file, without making the file durable. The additional time of `transferctl` is its own overhead.
enum BareURLSession {
    /// The first argument of this program that selects this peer.
    static let argument = "--bare-urlsession"

    /// Returns the peer that downloads the URLs in `list`, one per line, into `folder`.
    static func side(list: String, folder: String, parallel: Int) -> Side {
        Side(
            name: "URLSession alone", program: "/proc/self/exe",
            arguments: [argument, list, folder, "\(parallel)"], artifacts: [folder])
    }

    /// Downloads all files and exits. The status is 1 if a file did not arrive.
    static func run(_ arguments: [String]) -> Never {
        guard arguments.count == 3, let parallel = Int(arguments[2]),
            let list = try? String(contentsOfFile: arguments[0], encoding: .utf8)
        else { exit(2) }
        let folder = arguments[1]
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = parallel
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        let urls = Mutex(list.split(separator: "\n").compactMap { URL(string: String($0)) }[...])
        let group = DispatchGroup()
        @Sendable func next() {
            guard let url = urls.withLock({ $0.popFirst() }) else { return group.leave() }
            session.dataTask(with: url) { body, _, _ in
                let path = "\(folder)/\(url.lastPathComponent)"
                guard let body, FileManager.default.createFile(atPath: path, contents: body) else { exit(1) }
                next()
            }.resume()
        }
        for _ in 0..<parallel {
            group.enter()
            next()
        }
        group.wait()
        exit(0)
    }
}
