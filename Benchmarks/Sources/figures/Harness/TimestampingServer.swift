// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization

/// A server that sends an endless response to one connection at a time, and records the times of requests and of
/// closed connections.
final class TimestampingServer: Sendable {
    let port: Int
    /// The times at which the first byte of each request was read, in nanoseconds of CLOCK_MONOTONIC.
    let requested = TimestampQueue()
    /// The times at which each connection was seen to end, which is the latest possible time of its last byte.
    let disconnected = TimestampQueue()
    private let listener: Int32
    private let bytesPerSecond: Int?

    /// - Parameter bytesPerSecond: The rate of the response; `nil` for the highest rate that the client accepts.
    init(bytesPerSecond: Int?) throws {
        (listener, port) = try LoopbackServer.listen()
        self.bytesPerSecond = bytesPerSecond
        Thread.detachNewThread { [listener, requested, disconnected] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Self.serve(connection, bytesPerSecond, requested: requested, disconnected: disconnected)
                close(connection)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(
        _ connection: Int32, _ bytesPerSecond: Int?, requested: TimestampQueue, disconnected: TimestampQueue
    ) {
        var request = [UInt8](repeating: 0, count: 65536)
        guard wait(connection, POLLIN, milliseconds: -1) else { return }
        let first = TimestampQueue.now()
        guard recv(connection, &request, request.count, 0) > 0 else { return }
        requested.put(first)
        defer { disconnected.put(TimestampQueue.now()) }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nConnection: close\r\n\r\n"
        guard send(connection, head, head.utf8.count, Int32(MSG_NOSIGNAL)) == head.utf8.count else { return }
        let block = [UInt8](repeating: 0x55, count: 65536)
        var sent = 0
        while true {
            let budget =
                bytesPerSecond.map { Int(Double(TimestampQueue.now() - first) / 1e9 * Double($0)) - sent }
                ?? block.count
            if budget < 16384 {
                // The client has already sent its request. Anything more from the client can only be the end of the
                // connection.
                if wait(connection, POLLIN, milliseconds: 2) { return }
                continue
            }
            let count = send(connection, block, min(budget, block.count), Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            if count > 0 { sent += count }
            if count < 0 {
                guard errno == EAGAIN else { return }
                _ = wait(connection, POLLIN | POLLOUT, milliseconds: -1)
            }
        }
    }

    /// Returns whether an event or the end of the connection came in time. A time of -1 waits forever.
    private static func wait(_ connection: Int32, _ events: Int32, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: connection, events: Int16(events), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }
}

/// A queue of points in time, which one thread adds and another thread removes.
final class TimestampQueue: Sendable {
    private let timestamps = Mutex<[UInt64]>([])
    private let count = DispatchSemaphore(value: 0)

    /// Returns the current time in nanoseconds of CLOCK_MONOTONIC.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    func put(_ stamp: UInt64) {
        timestamps.withLock { $0.append(stamp) }
        count.signal()
    }

    /// Returns the next point in time. Waits up to 10 s.
    ///
    /// - Throws: `BenchmarkError` if no point in time was added.
    func next(_ what: String) throws -> UInt64 {
        guard count.wait(timeout: .now() + 10) == .success else {
            throw BenchmarkError("\(what) did not occur in 10 s")
        }
        return timestamps.withLock { $0.removeFirst() }
    }

    /// The number of points in time that were added and not removed.
    var pending: Int { timestamps.withLock(\.count) }
}
