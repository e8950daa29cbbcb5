// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import HTTPSyntax
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    /// Tests of changes to a destination during a download, and of names at the length limit.
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct DestinationRaceTests {
        private static let file = ServedFile(bytes: ServedFile.content(200_000))

        /// An object that another program puts at the path of the finished file.
        enum Obstacle: String, CaseIterable {
            case link, danglingLink, folder, pipe

            func put(at path: String) {
                switch self {
                case .link: symlink("/etc/hostname", path)
                case .danglingLink: symlink("/nowhere", path)
                case .folder: mkdir(path, 0o755)
                case .pipe: mkfifo(path, 0o600)
                }
            }
        }

        @Test(
            "A file that appears at the destination is left alone and named, and the bytes wait until it is gone",
            arguments: Obstacle.allCases, [Destination.Collision.overwrite, .rename, .fail])
        func obstacle(_ obstacle: Obstacle, collision: Destination.Collision) async throws {
            let (requestEvents, requestSignal) = AsyncStream<Void>.makeStream()
            let free = DispatchSemaphore(value: 0)
            try await ExecutorFixture.run(handler: { request, connection in
                Self.file.serve(request, connection, first: 65536) {
                    requestSignal.yield()
                    free.wait()
                    free.signal()
                }
            }) { fixture, server in
                let specification = fixture.specification(server.url("/f"), name: "x", collision: collision)
                let (_, recorder) = fixture.start(specification)
                for await _ in requestEvents { break }
                let path = fixture.folder + "/x"
                obstacle.put(at: path)
                let before = FileFacts(path: path)
                free.signal()
                let outcome = await recorder.outcome()
                #expect(outcome.failure?.cause == .destination)
                #expect(outcome.failure?.message.contains(path) == true)
                #expect(FileFacts(path: path) == before)
                #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder) == ["x"])
                let resume = try #require(outcome.resume)
                #expect(resume.offset == 200_000)
                #expect(remove(path) == 0)
                let (second, _) = await fixture.run(specification, resume: resume)
                #expect(fixture.contents(second) == Self.file.bytes)
                #expect(second.completion?.file?.path == path)
            }
        }

        @Test("Two concurrent transfers to one name are both complete, under two names", arguments: 1...5)
        func twoRenamed(round: Int) async throws {
            try await twice(.rename) { fixture, first, second in
                #expect(fixture.contents(first) == Self.content(0))
                #expect(fixture.contents(second) == Self.content(1))
                let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder).sorted()
                #expect(names == ["x (1).tar.gz", "x.tar.gz"])
            }
        }

        @Test("Of two transfers that replace, the last one leaves its complete file", arguments: 1...5)
        func twoReplacing(round: Int) async throws {
            try await twice(.overwrite) { fixture, first, second in
                #expect(first.completion?.file?.path == second.completion?.file?.path)
                let there = fixture.contents(first)
                #expect(there == Self.content(0) || there == Self.content(1))
                let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
                #expect(names == ["x.tar.gz"])
            }
        }

        @Test("Of two transfers that must not replace, one finishes and the other reports why not", arguments: 1...5)
        func twoFailing(round: Int) async throws {
            try await twice(.fail) { fixture, first, second in
                let outcomes = [first, second]
                #expect(outcomes.count { $0.completion?.file != nil } == 1)
                let loser = try #require(outcomes.firstIndex { $0.failure?.cause == .destination })
                #expect(outcomes[loser].failure?.message.contains("x.tar.gz: File exists") == true)
                #expect(outcomes[loser].resume?.offset == 200_000)
                #expect(fixture.contents(outcomes[1 - loser]) == Self.content(1 - loser))
            }
        }

        private static func content(_ number: Int) -> [UInt8] {
            ServedFile.content(200_000, seed: UInt64(number) + 1)
        }

        /// Downloads two files to a single name. The server completes the responses only after both requests have arrived.
        private func twice(
            _ collision: Destination.Collision,
            _ check: (ExecutorFixture, ExecutorOutcome, ExecutorOutcome) throws -> Void
        ) async throws {
            let files = (0...1).map { ServedFile(bytes: Self.content($0)) }
            let arrived = DispatchSemaphore(value: 0)
            try await ExecutorFixture.run(handler: { request, connection in
                let number = request.target == "/0" ? 0 : 1
                files[number].serve(request, connection, first: 65536) {
                    // The second request releases both.
                    if number == 0 { arrived.wait() } else { arrived.signal() }
                }
            }) { fixture, server in
                let specifications = (0...1).map {
                    fixture.specification(server.url("/\($0)"), name: "x.tar.gz", collision: collision)
                }
                let first = fixture.start(specifications[0]).recorder
                let second = fixture.start(specifications[1]).recorder
                try check(fixture, await first.outcome(), await second.outcome())
                // The file that could not be placed keeps its partial file for the next attempt.
                #expect(fixture.orphanedFiles.count == (collision == .fail ? 1 : 0))
            }
        }

        @Test(
            "Names of 255 bytes in many scripts work, keep their extension, and can be numbered",
            arguments: [
                "a", "ж", "é", "e\u{301}", "漢", "한", "हि", "نُ", "ก็", "👩‍👩‍👧‍👦", "🇩🇪", "👍🏽",
            ])
        func scripts(character: String) async throws {
            let given = String(repeating: character, count: 300) + ".tar.gz"
            let escaped = given.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            var named = Self.file
            named.extraFields = ["Content-Disposition: attachment; filename*=UTF-8''\(escaped)"]
            let served = named
            try await ExecutorFixture.run(handler: served.serve) { fixture, server in
                var names: [String] = []
                for _ in 0..<3 {
                    let (outcome, _) = await fixture.run(fixture.specification(server.url("/f"), name: nil))
                    let path = try #require(outcome.completion?.file?.path)
                    #expect(fixture.contents(outcome) == Self.file.bytes)
                    names.append(Paths.name(path))
                }
                #expect(Set(names).count == 3)
                for (number, name) in names.enumerated() {
                    let tail = (number > 0 ? " (\(number))" : "") + ".tar.gz"
                    #expect(name.utf8.count <= 255)
                    #expect(name.utf8.count > 255 - character.utf8.count)
                    // The name is cut between characters, not within a character.
                    #expect(name.hasSuffix(tail))
                    #expect(name.dropLast(tail.count).allSatisfy { String($0) == character })
                }
            }
        }

        @Test("A file system with a shorter limit gets shorter names")
        func shortLimit() {
            let name = ServerFileName.name(
                disposition: nil, url: "http://h/" + String(repeating: "a", count: 300) + ".iso", limit: 143)
            #expect(name.utf8.count == 143)
            #expect(name.hasSuffix("a.iso"))
            #expect(DestinationFolder.numbered(name, 7, limit: 143).utf8.count == 143)
            #expect(DestinationFolder.numbered(name, 7, limit: 143).hasSuffix("a (7).iso"))
            let traits = TransferTraits(kind: .normal, host: "h", submitted: WallTime(secondsSinceEpoch: 0))
            let destination = Destination(directory: "/tmp", name: nil)
            let folder = DestinationFolder(
                TransferSpecification(url: "http://h/", destination: destination, traits: traits))
            #expect((14...255).contains(folder.nameLimit))
        }
    }
}
