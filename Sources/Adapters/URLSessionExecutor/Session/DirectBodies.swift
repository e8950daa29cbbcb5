// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import URLSessionInterposer

/// The direct way between libcurl and the running exchanges, past FoundationNetworking.
///
/// For each block, FoundationNetworking copies the bytes twice, and cancels and creates a timer, which wakes up two
/// threads. With the interposer, only about one block a second goes through FoundationNetworking.
enum DirectBodies {
    /// An exchange whose bodies may take the direct way.
    struct Route: Sendable {
        let exchange: Exchange
        /// The queue that URLSession's callbacks also go through, so that blocks from both ways stay in order.
        let delegateQueue: BoundedDelegateQueue
    }

    private struct Routes: Sendable {
        var byNumber: [UInt64: Route] = [:]
        var last: UInt64 = 0
    }

    // The interposer is a part of the process, and calls functions without a context.
    private static let routes = Mutex(Routes())

    /// Opens a way and returns its number, by which the interposer names it.
    static func open(_ route: Route) -> UInt64 {
        routes.withLock { routes in
            routes.last += 1
            routes.byNumber[routes.last] = route
            return routes.last
        }
    }

    static func close(_ number: UInt64) {
        // Released outside of the lock.
        _ = routes.withLock { $0.byNumber.removeValue(forKey: number) }
    }

    private static func route(_ number: UInt64) -> Route? { routes.withLock { $0.byNumber[number] } }

    /// The functions that the interposer calls on URLSession's own queue.
    static let functions = transfer_urlsession_bodies(
        read: { number, bytes, count in
            guard let bytes, let body = DirectBodies.route(number)?.exchange.body else { return 0 }
            return bytes.withMemoryRebound(to: UInt8.self, capacity: count) { body.readDirectly(into: $0, count) }
        },
        receive: { number, bytes, count in
            guard let bytes, let route = DirectBodies.route(number) else { return 0 }
            let data = Data(bytes: bytes, count: count)
            let exchange = route.exchange
            route.delegateQueue.addOperation { exchange.received(data) }
            return 1
        })
}
