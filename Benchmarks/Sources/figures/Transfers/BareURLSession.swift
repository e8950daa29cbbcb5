// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import FoundationNetworking
import Synchronization

/// URLSession with nothing around it, as one more side of `small-files`: data tasks, so many at once, each body written
/// to its file and nothing made durable. What a transfer takes beyond this is ours; what it takes up to here is not.
enum BareURLSession {
    /// The first argument of a run of this program that is this side.
    static let argument = "--bare-urlsession"

    /// The side that fetches what `list` names, a URL a line, into `folder`.
    static func side(list: String, folder: String, parallel: Int) -> Side {
        Side(
            name: "URLSession alone", program: "/proc/self/exe",
            arguments: [argument, list, folder, "\(parallel)"], leavings: [folder])
    }

    /// Carries a run out and ends the process: with 1 where a file did not come.
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
