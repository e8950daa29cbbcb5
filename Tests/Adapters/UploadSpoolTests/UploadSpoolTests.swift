// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferSessions

@testable import UploadSpool

@Suite("C5: the spool of files to upload")
struct UploadSpoolTests {
    @Test("C5: a file of this user on the same file system is linked, not copied, and survives its removal")
    func link() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("report", bytes: 100_000)
        let spool = fixture.spool()
        let kept = try await spool.keep(.path(path), for: "app", within: .max)
        #expect(try fixture.status(kept.path).st_ino == fixture.status(path).st_ino)
        let status = try fixture.status(path)
        #expect((kept.size, kept.app) == (100_000, "app"))
        #expect(kept.modified == Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
        #expect(try fixture.status(fixture.folder).st_mode & 0o777 == 0o700)
        let content = try fixture.content(path)
        unlink(path)
        #expect(try fixture.content(kept.path) == content)
        // No part of the name comes from the caller.
        #expect(SpoolName.isName(String(kept.path.dropFirst(fixture.folder.count + 1))))
    }

    @Test("C5: a copy has its own content, is private, and is unaffected by later writes of the app")
    func copy() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("report", bytes: 3_000_001)
        let content = try fixture.content(path)
        let kept = try await fixture.spool(.copy).keep(.path(path), for: "app", within: .max)
        try Data("other".utf8).write(to: URL(fileURLWithPath: path), options: [])
        #expect(try fixture.content(kept.path) == content)
        #expect(try fixture.status(kept.path).st_mode & 0o777 == 0o600)
        #expect(kept.size == 3_000_001)
    }

    @Test(
        "C5: a file on another file system is copied",
        .enabled(if: SpoolFixture.otherVolume != nil, "/dev/shm is not there, or no other file system than the tests'"))
    func otherVolume() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try #require(SpoolFixture.otherVolume) + "/upload-spool-\(UUID().uuidString)"
        try fixture.fill(path, bytes: 2_500_000)
        defer { unlink(path) }
        let content = try fixture.content(path)
        let kept = try await fixture.spool().keep(.path(path), for: "app", within: .max)
        unlink(path)
        #expect(try fixture.content(kept.path) == content)
        #expect(try fixture.status(kept.path).st_nlink == 1)
    }

    @Test(
        "C5: a reflink shares blocks, and later writes of the app do not affect it",
        .enabled(if: SpoolFixture.canReflink, "the test's file system has no reflinks; use btrfs or XFS"))
    func reflink() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("report", bytes: 1 << 20)
        let content = try fixture.content(path)
        let kept = try await fixture.spool(.reflink).keep(.path(path), for: "app", within: .max)
        try Data("other".utf8).write(to: URL(fileURLWithPath: path), options: [])
        #expect(try fixture.content(kept.path) == content)
        #expect(try fixture.status(kept.path).st_mode & 0o777 == 0o600)
    }

    @Test("C5: a passed descriptor is kept even if its file no longer has a name")
    func descriptor() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("report", bytes: 5000)
        let content = try fixture.content(path)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        unlink(path)
        // At the end of the file, as an app leaves the descriptor after reading. The position must not matter.
        lseek(descriptor, 0, SEEK_END)
        let kept = try await fixture.spool().keep(.descriptor(descriptor), for: "app", within: .max)
        #expect(try fixture.content(kept.path) == content)
        #expect(fcntl(descriptor, F_GETFD) >= 0, "the caller's descriptor was closed")
    }

    @Test("C2: a descriptor without read access is refused, even if its file could be linked")
    func noRight() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("key", bytes: 10)
        // O_PATH, which Glibc's module does not declare.
        for flags in [O_WRONLY, 0o10000000] {
            let descriptor = open(path, flags)
            defer { close(descriptor) }
            await fixture.expect(.unusable, saying: "not open for reading") {
                try await fixture.spool().keep(.descriptor(descriptor), for: "app", within: .max)
            }
        }
        #expect(fixture.names.isEmpty)
    }

    @Test("C5: an unreadable or nonregular file is refused with its path, and nothing remains")
    func unusable() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let pipe = fixture.root + "/pipe"
        mkfifo(pipe, 0o600)
        for path in [fixture.root + "/gone", fixture.root, pipe] {
            await fixture.expect(.unusable, saying: path) {
                try await fixture.spool().keep(.path(path), for: "app", within: .max)
            }
        }
        #expect(fixture.names.isEmpty)
    }

    @Test("C5: an app's files stay within its quota, which the error states; other apps do not count")
    func quota() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("report", bytes: 600)
        let spool = fixture.spool()
        let first = try await spool.keep(.path(path), for: "app", within: 1000)
        await fixture.expect(.limitExceeded, saying: "may have 1000") {
            try await spool.keep(.path(path), for: "app", within: 1000)
        }
        #expect(spool.usage(of: "app") == SpoolUsage(files: 1, bytes: 600))
        _ = try await spool.keep(.path(path), for: "other", within: 1000)
        spool.remove(first)
        spool.remove(first)
        #expect(spool.usage(of: "app") == SpoolUsage())
        _ = try await spool.keep(.path(path), for: "app", within: 1000)
        #expect(fixture.names.count == 2)
    }

    @Test("C5: a copy that exceeds the available space is refused with a number; a link needs no space")
    func space() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("report", bytes: 600)
        await fixture.expect(.limitExceeded, saying: "only 599 may be written") {
            try await fixture.spool(.copy, space: 599).keep(.path(path), for: "app", within: .max)
        }
        #expect(fixture.names.isEmpty)
        _ = try await fixture.spool(.copy, space: 600).keep(.path(path), for: "app", within: .max)
        _ = try await fixture.spool(.link, space: 0).keep(.path(path), for: "app", within: .max)
    }

    @Test("C5: a canceled copy ends, and nothing remains")
    func cancelled() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("report", bytes: 600)
        let spool = fixture.spool(.copy)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await spool.keep(.path(path), for: "app", within: .max)
        }
        await fixture.expect(.cancelled, saying: "canceled") { try await task.value }
        #expect(fixture.names.isEmpty)
        #expect(spool.usage(of: "app") == SpoolUsage())
    }

    @Test("C5: at the start, wanted files are counted again, and other files of the spool are removed")
    func restart() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("report", bytes: 600)
        let before = fixture.spool()
        let wanted = try await before.keep(.path(path), for: "app", within: .max)
        let orphan = try await before.keep(.path(path), for: "app", within: .max)
        // Not a file of the spool: neither its name nor its location matches.
        try fixture.fill(fixture.folder + "/notes", bytes: 1)
        let outside = KeptSource(app: "app", path: path, size: 5, modified: 0)
        let after = fixture.spool()
        #expect(await after.restore([wanted, wanted, outside]) == 1)
        #expect(fixture.names == ["notes", String(wanted.path.dropFirst(fixture.folder.count + 1))].sorted())
        #expect(!FileManager.default.fileExists(atPath: orphan.path))
        #expect(after.usage(of: "app") == SpoolUsage(files: 1, bytes: 600))
        // A path outside the spool is never removed, whatever a row contains.
        for path in [path, fixture.folder + "/../report", fixture.folder + "/notes"] {
            after.remove(KeptSource(app: "app", path: path, size: 5, modified: 0))
            #expect(FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("C5: an unusable folder is reported with its path and does not count as an exceeded quota")
    func noFolder() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("report", bytes: 600)
        try fixture.fill(fixture.folder, bytes: 1)
        await fixture.expect(.unavailable, saying: fixture.folder) {
            try await fixture.spool().keep(.path(path), for: "app", within: .max)
        }
    }

    @Test("C5: a folder that other users can write to, or below one, is refused")
    func sharedFolder() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("report", bytes: 600)
        #expect(mkdir(fixture.folder, 0o700) == 0)
        for shared in [fixture.folder, fixture.root] {
            #expect(chmod(shared, 0o777) == 0)
            await fixture.expect(.unavailable, saying: "other users can write to \(shared)") {
                try await fixture.spool().keep(.path(path), for: "app", within: .max)
            }
            #expect(chmod(shared, 0o700) == 0)
        }
        _ = try await fixture.spool().keep(.path(path), for: "app", within: .max)
    }

    @Test("C5: concurrent callers each get their own file")
    func many() async throws {
        let fixture = try SpoolFixture()
        defer { fixture.remove() }
        let path = try fixture.write("report", bytes: 100)
        let spool = fixture.spool()
        // The limit also applies while several files are being kept at the same time.
        let kept = await withTaskGroup(of: Bool.self) { group -> Int in
            for _ in 0..<50 {
                group.addTask { (try? await spool.keep(.path(path), for: "app", within: 2000)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect((kept, fixture.names.count) == (20, 20))
        #expect(spool.usage(of: "app") == SpoolUsage(files: 20, bytes: 2000))
    }
}
