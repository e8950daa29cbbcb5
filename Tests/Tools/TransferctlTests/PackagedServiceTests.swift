// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import transferctl

@Suite("The daemon that a package has installed")
struct PackagedServiceTests {
    /// Runs a closure with the paths of two data folders. The second has a service file that starts `/usr/bin/transferd`.
    private func withFolders(first: String?, _ body: ([String]) throws -> Void) throws {
        let top = NSTemporaryDirectory() + "packaged-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: top) }
        let second = ServiceFiles.activationText(program: "/usr/bin/transferd")
        for (name, text) in [("first", first), ("second", second)] {
            let folder = top + "/\(name)/dbus-1/services"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try text?.write(toFile: folder + "/org.transferd.service", atomically: true, encoding: .utf8)
        }
        try body([top + "/first", top + "/missing", top + "/second"])
    }

    @Test("Is found by its service file, in any folder of data")
    func found() throws {
        try withFolders(first: nil) { folders in
            let packaged = PackagedService.find(program: "/usr/bin/transferd", in: folders)
            #expect(packaged?.activation == folders[2] + "/dbus-1/services/org.transferd.service")
        }
    }

    @Test("Is not found by another daemon, or if the bus reads another file first")
    func others() throws {
        try withFolders(first: nil) { folders in
            #expect(PackagedService.find(program: "/usr/local/bin/transferd", in: folders) == nil)
            #expect(PackagedService.find(program: "/usr/bin/transfer", in: folders) == nil)
        }
        try withFolders(first: ServiceFiles.activationText(program: "/usr/local/bin/transferd")) { folders in
            #expect(PackagedService.find(program: "/usr/bin/transferd", in: folders) == nil)
        }
    }

    @Test("The folders of data are those of XDG_DATA_DIRS, without relative paths")
    func dataFolders() {
        #expect(PackagedService.dataFolders([:]) == ["/usr/local/share", "/usr/share"])
        #expect(PackagedService.dataFolders(["XDG_DATA_DIRS": "relative"]) == ["/usr/local/share", "/usr/share"])
        #expect(PackagedService.dataFolders(["XDG_DATA_DIRS": "/a::share:/b"]) == ["/a", "/b"])
    }

    @Test("A package has the files of all programs, in the folders of Debian")
    func packageFiles() {
        let files = ServiceFiles(packageRoot: "/tree").all
        #expect(Set(files).count == files.count)
        for path in [
            "usr/share/dbus-1/services/org.transferd.service", "usr/lib/systemd/user/transferd.service",
            "usr/share/applications/transferd.desktop", "usr/share/icons/hicolor/scalable/apps/transferd.svg",
            "usr/share/man/man1/transferctl.1", "usr/share/man/man1/transferlab.1", "usr/share/man/man8/transferd.8",
            "usr/share/man/man5/transferd.toml.5",
            "usr/share/bash-completion/completions/transferd", "usr/share/zsh/vendor-completions/_transferlab",
            "usr/share/fish/vendor_completions.d/transferctl.fish",
        ] { #expect(files.contains("/tree/" + path), "\(path)") }
    }
}
