// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TransferDaemon

@Suite("C5: files of sandboxed apps in the daemon's folder")
struct CachedDownloadsTests {
    private let folder = NSTemporaryDirectory() + "cached-downloads-\(UUID().uuidString.prefix(8))"
    private static let now = Int64(Date().timeIntervalSince1970)

    private func make(_ bytes: Int, at path: String) throws {
        let parent = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(count: bytes).write(to: URL(fileURLWithPath: path))
    }

    @Test("Files that exist at the start count for their app; links and files in other folders do not")
    func found() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try make(300, at: folder + "/org.example.A/one")
        try make(200, at: folder + "/org.example.A/two")
        try make(50, at: folder + "/org.example.B/one")
        try make(7, at: folder + "/file-of-an-app-outside-sandboxes")
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/org.example.B/link", withDestinationPath: folder + "/org.example.A/one")
        let downloads = CachedDownloads(folder: folder, at: Self.now)
        #expect(downloads.usage(of: "org.example.A") == .init(files: 2, bytes: 500))
        #expect(downloads.usage(of: "org.example.B") == .init(files: 1, bytes: 50))
        #expect(downloads.usage(of: "org.example.C") == .init())
        #expect(downloads.apps.sorted() == ["org.example.A", "org.example.B"])
        #expect(CachedDownloads(folder: folder + "/missing", at: Self.now).usage(of: "org.example.A") == .init())
    }

    @Test("Opaque sandboxes share one total")
    func nameless() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var downloads = CachedDownloads(folder: folder, at: Self.now)
        try make(10, at: downloads.folder(of: "sandbox:1") + "/a")
        downloads = CachedDownloads(folder: folder, at: Self.now)
        downloads.add(downloads.folder(of: "sandbox:2") + "/b", bytes: 5, of: "sandbox:2")
        for app in ["sandbox:1", "sandbox:2", "sandbox:3"] {
            #expect(downloads.usage(of: app) == .init(files: 2, bytes: 15))
        }
        #expect(downloads.usage(of: "sandbox") == .init())
        #expect(downloads.apps == ["sandbox:"])
    }

    @Test("A file counts once, and no longer after it is removed")
    func counted() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let app = "org.example.A"
        let downloads = CachedDownloads(folder: folder, at: Self.now)
        let path = downloads.folder(of: app) + "/file"
        try make(10, at: path)
        for bytes: Int64 in [10, 10, 4] { downloads.add(path, bytes: bytes, of: app) }
        #expect(downloads.usage(of: app) == .init(files: 1, bytes: 4))
        downloads.add("/elsewhere/file", bytes: 99, of: app)
        downloads.add(downloads.folder(of: "org.example.AB") + "/file", bytes: 99, of: app)
        #expect(downloads.usage(of: app) == .init(files: 1, bytes: 4))
        for _ in 0..<2 {
            let isGone = downloads.remove(path, of: app)
            #expect(isGone)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(downloads.usage(of: app) == .init())
    }

    @Test("Files older than the retention are removed at the start")
    func old() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let app = "org.example.A"
        try make(10, at: folder + "/\(app)/file")
        try make(7, at: folder + "/file-of-an-app-outside-sandboxes")
        let retention = CachedDownloads.retention.components.seconds
        #expect(CachedDownloads(folder: folder, at: Self.now + retention - 60).usage(of: app).files == 1)
        #expect(CachedDownloads(folder: folder, at: Self.now + retention + 60).usage(of: app).files == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/\(app)") == [])
        #expect(FileManager.default.fileExists(atPath: folder + "/file-of-an-app-outside-sandboxes"))
    }
}
