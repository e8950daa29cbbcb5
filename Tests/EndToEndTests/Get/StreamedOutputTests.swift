// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import HostileServer
import ProcessFixtures
import Synchronization
import Testing

/// Tests of `get --output -` into a pipe, with the whole program.
@Suite("get --output - into a pipe, end to end")
struct StreamedOutputTests {
    /// The reading end of a named pipe.
    private final class Pipe {
        let path: String
        private let descriptor: Int32
        private(set) var bytes: [UInt8] = []

        init(in folder: String) throws {
            path = folder + "/pipe"
            guard mkfifo(path, 0o600) == 0 else { throw FixtureError("mkfifo failed") }
            descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw FixtureError("the pipe cannot be opened") }
        }

        deinit { close() }

        private var isOpen = true

        func close() {
            if isOpen { Glibc.close(descriptor) }
            isOpen = false
        }

        /// Reads what has arrived. Returns whether the writer has closed the pipe.
        @discardableResult
        func read() -> Bool {
            var block = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = Glibc.read(descriptor, &block, block.count)
                guard count > 0 else { return count == 0 }
                bytes += block.prefix(count)
            }
        }

        /// Reads until a number of bytes has arrived.
        func read(atLeast count: Int) async throws {
            try await waitUntil("\(count) bytes", within: 60, watching: .readable(descriptor)) {
                read()
                return bytes.count >= count
            }
        }

        /// Reads until the writer closes the pipe.
        func readToEnd() async throws {
            while try await isReady(descriptor, within: 120) {
                if read() { return }
            }
            throw FixtureError("the pipe has no end")
        }
    }

    private static let file = ServedFile(bytes: ServedFile.content(8_000_000))
    /// The number of bytes before the server pauses.
    private static let first = 5_000_000

    private final class Flag: Sendable {
        let isSet = Atomic(false)

        func set() { isSet.store(true, ordering: .relaxed) }
    }

    /// Runs the body with a server that pauses in the middle of the file until the flag is set.
    private func serve(_ body: (HostileServer, Flag) async throws -> Void) async throws {
        let flag = Flag()
        let server = try HostileServer { request, connection in
            let rest = Self.file.response(to: request).body
            guard rest.endIndex > Self.first else { return Self.file.serve(request, connection) }
            Self.file.serve(request, connection, onlyBytes: Self.first - rest.startIndex)
            while !flag.isSet.load(ordering: .relaxed) { connection.pause(milliseconds: 20) }
            connection.send(rest[Self.first...])
        }
        defer {
            flag.set()
            server.stop()
        }
        try await body(server, flag)
    }

    @Test("The bytes arrive while the download is running, in order and complete, and no file stays")
    func streams() async throws {
        try await serve { server, mayContinue in
            let program = try Transferctl()
            let pipe = try Pipe(in: program.folder.path)
            let run = try program.start(["get", "-o", "-", server.url("/f.tar")], output: pipe.path)
            try await pipe.read(atLeast: 3_000_000)
            #expect(run.process.exitStatus == nil)
            mayContinue.set()
            try await pipe.readToEnd()
            #expect(try await run.process.wait(within: 60) == 0, "\(run.errors)")
            #expect(pipe.bytes == Self.file.bytes)
            let kept = program.folder.path + "/state/transferd/get/output"
            #expect((try? FileManager.default.contentsOfDirectory(atPath: kept)) ?? [] == [])
        }
    }

    @Test("With a checksum, nothing is written before the file is complete")
    func checksum() async throws {
        try await serve { server, _ in
            let program = try Transferctl()
            let pipe = try Pipe(in: program.folder.path)
            let digits = String(repeating: "0", count: 64)
            let run = try program.start(
                ["get", "--json", "-o", "-", "--checksum", "sha256:\(digits)", server.url("/f.tar")])
            #expect(try await run.process.wait(within: 60) == 2)
            let arguments = ["get", "-o", "-", "--checksum", "sha256:\(digits)", server.url("/f.tar")]
            let piped = try program.start(arguments, output: pipe.path)
            try await waitUntil("the pause of the server", within: 60) { !server.requests.isEmpty }
            try await Task.sleep(for: .seconds(3))
            pipe.read()
            #expect(pipe.bytes.isEmpty)
            piped.process.signal(SIGINT)
            #expect(try await piped.process.wait(within: 60) == 130)
        }
    }

    @Test("A file that changes after bytes were written ends the output with an error, and is not mixed")
    func changes() async throws {
        let new = ServedFile(bytes: ServedFile.content(8_000_000, seed: 2), entityTag: "\"v2\"")
        let server = try HostileServer { request, connection in
            // The version changes with the first request that continues after the cut.
            if let range = request.range, range.first >= 1_000_000 { return new.serve(request, connection) }
            let rest = Self.file.response(to: request).body
            guard rest.endIndex > Self.first else { return Self.file.serve(request, connection) }
            Self.file.serve(request, connection, onlyBytes: Self.first - rest.startIndex)
            connection.pause(milliseconds: 3000)
            connection.cut()
        }
        defer { server.stop() }
        let program = try Transferctl()
        let pipe = try Pipe(in: program.folder.path)
        let run = try program.start(["get", "-o", "-", server.url("/f.tar")], output: pipe.path)
        try await pipe.readToEnd()
        #expect(try await run.process.wait(within: 60) == 1, "\(run.errors)")
        #expect(run.errors.contains("so the output is incomplete"), "\(run.errors)")
        #expect(pipe.bytes.count > 0 && pipe.bytes == Array(Self.file.bytes.prefix(pipe.bytes.count)))
    }
}
