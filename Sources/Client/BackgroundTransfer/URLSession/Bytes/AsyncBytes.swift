// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

extension URLSession {
    /// The body of a response, byte by byte. Supports a single reader.
    public struct AsyncBytes: AsyncSequence, Sendable {
        private let request: LoadedRequest

        init(_ loader: BytesLoader) { request = LoadedRequest(loader) }

        /// The body as lines of UTF-8, without line terminators (LF, or CR and LF).
        public var lines: Lines { Lines(bytes: self) }

        /// Returns an iterator over the bytes. Only one iterator may be in use.
        public func makeAsyncIterator() -> Iterator { Iterator(request: request) }

        /// The iterator of a body.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let request: LoadedRequest
            private var bytes = Data()
            private var place = 0

            fileprivate init(request: LoadedRequest) { self.request = request }

            /// Returns the next byte, or `nil` at the end of the body.
            ///
            /// - Throws: The error with which the request failed.
            public mutating func next() async throws -> UInt8? {
                while place == bytes.endIndex {
                    guard let more = try await request.loader.next() else { return nil }
                    (bytes, place) = (more, more.startIndex)
                }
                defer { place += 1 }
                return bytes[place]
            }
        }

        /// The lines of a body.
        public struct Lines: AsyncSequence, Sendable {
            fileprivate let bytes: AsyncBytes

            /// Returns an iterator over the lines. Only one iterator may be in use.
            public func makeAsyncIterator() -> LineIterator { LineIterator(bytes: bytes.makeAsyncIterator()) }
        }

        /// The iterator of a body's lines.
        public struct LineIterator: AsyncIteratorProtocol {
            fileprivate var bytes: Iterator

            /// Returns the next line, or `nil` at the end of the body.
            ///
            /// - Throws: The error with which the request failed.
            public mutating func next() async throws -> String? {
                var line: [UInt8] = []
                while let byte = try await bytes.next() {
                    guard byte == UInt8(ascii: "\n") else {
                        line.append(byte)
                        continue
                    }
                    if line.last == UInt8(ascii: "\r") { line.removeLast() }
                    return String(decoding: line, as: UTF8.self)
                }
                return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
            }
        }
    }
}

extension SessionMaking where Self: URLSession {
    /// Sends a request and returns the response with its body as a sequence of bytes.
    ///
    /// The request is not reported to the session's delegate. Releasing the bytes cancels the request.
    ///
    /// - Throws: ``SessionError`` in a background session, whose tasks must not depend on the running program.
    public func bytes(for request: URLRequest) async throws -> (URLSession.AsyncBytes, URLResponse) {
        try UnsupportedTask.awaited.check(self)
        let loader = BytesLoader()
        let response = try await loader.begin(request, configuration)
        return (URLSession.AsyncBytes(loader), response)
    }

    /// Requests a URL and returns the response with its body as a sequence of bytes.
    ///
    /// - Throws: ``SessionError`` in a background session, whose tasks must not depend on the running program.
    public func bytes(from url: URL) async throws -> (URLSession.AsyncBytes, URLResponse) {
        try await bytes(for: URLRequest(url: url))
    }
}

/// An owner of a request. Releasing the owner cancels the request.
private final class LoadedRequest: Sendable {
    let loader: BytesLoader

    init(_ loader: BytesLoader) { self.loader = loader }

    deinit { loader.cancel() }
}
