// SPDX-License-Identifier: Apache-2.0
import BackgroundTransferEmbedded
import Foundation
import Testing
import TransferTesting

@Suite("Files that a service keeps equal to a server's", .serialized, .timeLimit(.minutes(5)))
struct KeptFileTests {
    private let url = URL(string: "https://example.org/a")!

    @Test("A call joins the download of the same version, in this run and the next, while the file exists")
    func sameVersion() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        let file = URL(filePath: fixture.folder + "/files/a")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let first = try await fixture.run {
            let first = try await fixture.service.keep(file, equalTo: url, version: "1")
            await fixture.waitForStart(of: first)
            #expect(try await fixture.service.keep(file, equalTo: url, version: "1") == first)
            let destination = fixture.executor.specification(of: first)?.destination
            #expect(destination?.name == "a" && destination?.collision == .overwrite)
            #expect(destination?.directory == fixture.folder + "/files")
            return first
        }
        let next = try ServiceFixture(in: fixture.folder)
        try await next.run {
            #expect(try await next.service.keep(file, equalTo: url, version: "1") == first)
            await next.waitForStart(of: first)
            next.executor.finish(first)
            let completed = try #require(try await next.service.completion(of: first).file?.path)
            try Data().write(to: URL(filePath: completed))
            #expect(try await next.service.keep(file, equalTo: url, version: "1") == first)
            try FileManager.default.removeItem(atPath: completed)
            #expect(try await next.service.keep(file, equalTo: url, version: "1") != first)
        }
    }

    @Test("Another version or another URL replaces the download; another file does not")
    func otherVersion() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        let service = fixture.service
        let file = URL(filePath: fixture.folder + "/files/a")
        try await fixture.run {
            let first = try await service.keep(file, equalTo: url, version: "1")
            // The name and the version of this file read the same as those of the first file in another version.
            let neighbor = try await service.keep(URL(filePath: file.path + " 1"), equalTo: url, version: "")
            let second = try await service.keep(file, equalTo: url, version: "2")
            await #expect(throws: TransferServiceError.cancelled) { try await service.completion(of: first) }
            let mirror = try #require(URL(string: "https://example.com/a"))
            let third = try await service.keep(file, equalTo: mirror, version: "2")
            await #expect(throws: TransferServiceError.cancelled) { try await service.completion(of: second) }
            #expect(try await service.list().map(\.id) == [neighbor, third])
            // An earlier version is another version.
            #expect(try await service.keep(file, equalTo: url, version: "1") > third)
        }
    }
}
