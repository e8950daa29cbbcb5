// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization
import Testing
import TransferFiles
import TransferModel
import URLSessionInterposer

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite("Bodies on the direct way", .serialized, .timeLimit(.minutes(2)))
    struct DirectBodyTests {
        /// Collects the bytes that arrive on the direct way.
        private actor Receiver: ExchangeReceiver {
            nonisolated let consumer = ConsumerExecutor()
            nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.asUnownedSerialExecutor() }
            var bytes = Data()

            func exchange(_ exchange: Exchange, received head: ResponseHead) {}
            func exchange(_ exchange: Exchange, received more: Data) { bytes += more }
            func exchange(_ exchange: Exchange, endedWith failure: URLSessionError?) {}
        }

        /// Collects the bytes that FoundationNetworking's function would receive.
        private final class Sink {
            var bytes = Data()
        }

        private typealias Handle = OpaquePointer
        private typealias Setter = @convention(c) (Handle?, Int32, UnsafeRawPointer?) -> Int32

        /// Fetches a local file through the hooks, as the request of that number. Returns the bytes that passed through
        /// the function of the handle's owner.
        private func fetch(_ path: String, request: UInt64) throws -> Data {
            func own<Function>(_ name: String, as type: Function.Type) throws -> Function {
                unsafeBitCast(try #require(dlsym(nil, name)), to: type)
            }
            let start = try own("curl_easy_init", as: (@convention(c) () -> Handle?).self)
            let perform = try own("curl_easy_perform", as: (@convention(c) (Handle?) -> Int32).self)
            let append = try own(
                "curl_slist_append",
                as: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>) -> UnsafeMutableRawPointer?).self)
            let release = try own("curl_slist_free_all", as: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
            let set = unsafeBitCast(
                try #require(transfer_urlsession_interposer_hook("curl_easy_setopt")), to: Setter.self)
            let cleanup = unsafeBitCast(
                try #require(transfer_urlsession_interposer_hook("curl_easy_cleanup")),
                to: (@convention(c) (Handle?) -> Void).self)
            let write: @convention(c) (UnsafePointer<UInt8>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
                bytes, size, count, user in
                guard let bytes, let user else { return 0 }
                Unmanaged<Sink>.fromOpaque(user).takeUnretainedValue().bytes.append(bytes, count: size * count)
                return size * count
            }
            let sink = Sink()
            let handle = start()
            let fields = append(nil, "\(TRANSFER_URLSESSION_LIMITER_FIELD): 0 \(request)")
            defer {
                cleanup(handle)
                release(fields)
            }
            _ = ("file://" + path).withCString { set(handle, 10002, $0) }
            _ = set(handle, 10023, fields)
            _ = set(handle, 10001, Unmanaged.passUnretained(sink).toOpaque())
            _ = set(handle, 20011, unsafeBitCast(write, to: UnsafeRawPointer.self))
            #expect(perform(handle) == 0)
            return sink.bytes
        }

        @Test("C14: Only the first block of a response passes through FoundationNetworking, until the way is closed")
        func responses() throws {
            try #require(
                InterposerInstallation.install(
                    isEnabled: true, bufferSize: 0, blockSize: 0, caFile: nil, proxy: nil
                ).isActive)
            let path = NSTemporaryDirectory() + "direct-\(UUID().uuidString)"
            let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
            try content.write(to: URL(fileURLWithPath: path))
            defer { unlink(path) }
            let receiver = Receiver()
            let queue = BoundedDelegateQueue(admission: AdmissionControl(limit: 64), consumer: receiver.consumer)
            let number = DirectBodies.open(
                DirectBodies.Route(exchange: Exchange(receiver: receiver), delegateQueue: queue))

            let passed = try fetch(path, request: number)
            #expect(!passed.isEmpty && passed.count <= 16 << 10)
            receiver.sync { #expect(passed + $0.bytes == content) }

            DirectBodies.close(number)
            #expect(try fetch(path, request: number) == content)
            receiver.sync { #expect(passed + $0.bytes == content) }
        }

        @Test("C14: The direct way continues a stream, and leaves the end and failures to it")
        func requests() throws {
            let path = NSTemporaryDirectory() + "direct-\(UUID().uuidString)"
            try Data("0123456789".utf8).write(to: URL(fileURLWithPath: path))
            defer { unlink(path) }
            let source = try UploadSource(fileAt: path)
            let body = UploadBody(
                file: try UploadFile(source), range: 0..<10, interval: .max, pace: { _ in }, onRead: {})
            var buffer = [UInt8](repeating: 0, count: 4)
            func text(_ count: Int) -> String { String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) }

            // Without a stream, no one has asked for the body.
            #expect(body.readDirectly(into: &buffer, 4) == 0)
            let stream = body.makeStream()
            #expect(text(stream.read(&buffer, maxLength: 4)) == "0123")
            #expect(text(body.readDirectly(into: &buffer, 4)) == "4567")
            #expect(text(stream.read(&buffer, maxLength: 4)) == "89")
            #expect(body.readDirectly(into: &buffer, 4) == 0)
            #expect(body.isSent)

            // A dead connection begins again.
            let second = body.makeStream()
            #expect(text(body.readDirectly(into: &buffer, 4)) == "0123")
            try Data("changed".utf8).write(to: URL(fileURLWithPath: path))
            #expect(body.readDirectly(into: &buffer, 4) == 0)
            #expect(second.read(&buffer, maxLength: 4) == -1)
            #expect(body.progress.failure?.cause == .sourceChanged)
        }
    }
}
