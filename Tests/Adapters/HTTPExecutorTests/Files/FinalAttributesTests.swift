// SPDX-License-Identifier: Apache-2.0
import CLinuxFiles
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct FinalAttributesTests {
        private static let program = Array("#!/bin/sh\necho run\n".utf8)

        /// A Boolean value that indicates whether the temporary folder supports extended attributes. tmpfs supports
        /// them since Linux 6.6.
        private static let hasAttributes: Bool = {
            let path = NSTemporaryDirectory() + "attributes-\(UUID().uuidString)"
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return false }
            defer {
                close(descriptor)
                unlink(path)
            }
            return fsetxattr(descriptor, "user.test", "1", 1, 0) == 0
        }()

        private func attribute(_ name: String, of outcome: ExecutorOutcome) -> String? {
            guard let path = outcome.completion?.file?.path else { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = getxattr(path, name, &buffer, buffer.count)
            return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
        }

        private func mode(_ path: String) -> mode_t {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
        }

        private static func serve(_ request: HostileRequest, _ connection: HostileConnection) {
            if request.target.hasPrefix("/moved") {
                connection.respond("302 Found", ["Location: /secret-place/f"])
            } else {
                connection.respond("200 OK", ["Content-Type: application/x-desktop"], body: program)
            }
        }

        /// File calls that treat each partial file as if it were on another file system than its destination.
        private static var acrossFileSystems: FileCalls {
            var calls = FileCalls()
            calls.rename = { source, path, replaces in
                if source.hasSuffix(".part") {
                    errno = EXDEV
                    return -1
                }
                return FileCalls().rename(source, path, replaces)
            }
            return calls
        }

        @Test(
            "C9: A finished file records its origin without secrets, also as a copy on another file system",
            .enabled(if: hasAttributes, "the temporary folder's file system has no extended attributes"),
            arguments: [false, true])
        func provenance(isCopied: Bool) async throws {
            try await ExecutorFixture.run(handler: Self.serve) { fixture, server in
                let url = server.url("/moved/f").replacing("http://", with: "http://user:word@") + "?token=1#part"
                var specification = fixture.specification(url)
                specification.headers = [
                    HeaderField(name: "referer", value: "https://me:word@example.org/page?session=1#top")
                ]
                let calls = isCopied ? Self.acrossFileSystems : FileCalls()
                let outcome = await fixture.run(specification, calls: calls)
                #expect(fixture.contents(outcome) == Self.program)
                #expect(attribute(Provenance.originAttribute, of: outcome) == server.url("/moved/f"))
                #expect(attribute(Provenance.referrerAttribute, of: outcome) == "https://example.org/page")
                let plain = await fixture.run(fixture.specification(server.url("/f"), name: "plain"), calls: calls)
                #expect(attribute(Provenance.originAttribute, of: plain) == server.url("/f"))
                #expect(attribute(Provenance.referrerAttribute, of: plain) == nil)
            }
        }

        @Test("C9: A URL that is too long for the file system is not a failure")
        func longAddress() async throws {
            try await ExecutorFixture.run(handler: Self.serve) { fixture, server in
                let target = "/" + String(repeating: "a", count: 20_000)
                #expect(
                    fixture.contents(await fixture.run(fixture.specification(server.url(target))).0) == Self.program)
            }
        }

        @Test(
            "C9: Only http and https URLs are recorded, without possible secrets",
            arguments: [
                ("https://u:p@H:8080/a/@b?q#f", "https://H:8080/a/@b"), ("http://h", "http://h"),
                ("http://[::1]:80/x", "http://[::1]:80/x"), ("http://h/a b\u{1B}", "http://h/a%20b%1B"),
                ("http://user:pa/ss@h/", nil), ("file:///etc/passwd", nil), ("token", nil), ("", nil),
                ("http:///x", nil),
                ("about:blank", nil), ("/page", nil),
            ])
        func shown(address: String, recorded: String?) throws {
            let traits = TransferTraits(kind: .normal, host: "h", submitted: WallTime(secondsSinceEpoch: 0))
            let destination = Destination(directory: "/", name: nil)
            let specification = TransferSpecification(
                url: address, headers: [HeaderField(name: "Referer", value: address)], destination: destination,
                traits: traits)
            #expect(Provenance(specification).origin == recorded)
            #expect(Provenance(specification).referrer == recorded)
        }

        @Test(
            "C9: No finished file is executable, whatever its name or contents",
            arguments: ["run.sh", "program", "App.desktop", "x.AppImage"], [false, true])
        func neverExecutable(name: String, isPrivate: Bool) async throws {
            for calls in [FileCalls(), Self.acrossFileSystems] {
                try await ExecutorFixture.run(handler: Self.serve) { fixture, server in
                    var specification = fixture.specification(server.url("/" + name), name: nil)
                    specification.isPrivate = isPrivate
                    let path = try #require(await fixture.run(specification, calls: calls).completion?.file?.path)
                    #expect(Paths.name(path) == name)
                    #expect(mode(path) == (isPrivate ? 0o600 : 0o666 & ~FinalAttributes.umask))
                    #expect(mode(path) & 0o7111 == 0)
                }
            }
        }

        /// An ACL in the form of the kernel: a version, and entries of a tag, permissions, and an ID.
        private static func list(_ entries: (tag: UInt8, permissions: UInt8, id: UInt32)...) -> [UInt8] {
            [2, 0, 0, 0]
                + entries.flatMap { entry in
                    [entry.tag, 0, entry.permissions, 0]
                        + (0..<4).map { UInt8(truncatingIfNeeded: entry.id >> ($0 * 8)) }
                }
        }

        @Test(
            "D10: A finished file has the group and the ACL that its folder gives to new files",
            arguments: [false, true], [false, true])
        func inherited(isCopied: Bool, hasList: Bool) async throws {
            try await ExecutorFixture.run(handler: Self.serve) { fixture, server in
                try FileManager.default.createDirectory(atPath: fixture.folder, withIntermediateDirectories: true)
                // Owner, a user, group, mask, and others, with execution.
                let (none, user) = (UInt32.max, UInt32(54321))
                let given = Self.list((1, 7, none), (2, 7, user), (4, 5, none), (16, 7, none), (32, 0, none))
                guard !hasList || setxattr(fixture.folder, "system.posix_acl_default", given, given.count, 0) == 0
                else {
                    return #expect(errno == EOPNOTSUPP)
                }
                // The group of another folder, if this user may choose any.
                chown(fixture.folder, uid_t.max, 54321)
                chmod(fixture.folder, 0o2775)
                let made = fixture.folder + "/made"
                close(open(made, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666))
                let calls = isCopied ? Self.acrossFileSystems : FileCalls()
                let outcome = await fixture.run(fixture.specification(server.url("/f")), calls: calls)
                let path = try #require(outcome.completion?.file?.path)
                var (ours, theirs) = (stat(), stat())
                #expect(stat(path, &ours) == 0 && stat(made, &theirs) == 0)
                #expect(ours.st_gid == theirs.st_gid && ours.st_mode == theirs.st_mode)
                #expect(
                    attribute("system.posix_acl_access", of: path) == attribute("system.posix_acl_access", of: made))
                #expect((attribute("system.posix_acl_access", of: path) != nil) == hasList)
            }
        }

        private func attribute(_ name: String, of path: String) -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = getxattr(path, name, &buffer, buffer.count)
            return count < 0 ? nil : Array(buffer[..<count])
        }

        @Test("C9: A partial file that another program made executable does not finish as executable")
        func executablePartial() async throws {
            try await ExecutorFixture.run(handler: ServedFile(bytes: Self.program).serve) { fixture, server in
                let resume = try fixture.leavePartial(Self.program[..<4], total: Self.program.count, tag: "\"v1\"")
                chmod(resume.path, 0o4777)
                let outcome = await fixture.run(fixture.specification(server.url("/f")), resume: resume).0
                #expect(fixture.contents(outcome) == Self.program)
                #expect(mode(try #require(outcome.completion?.file?.path)) & 0o7111 == 0)
            }
        }

        @Test("C9: A private file and its folder are accessible only to the owner, whether or not the folder existed")
        func privateFile() async throws {
            try await ExecutorFixture.run(handler: Self.serve) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                specification.isPrivate = true
                specification.destination.directory = fixture.root + "/app/background-transfer"
                for isThere in [false, true] {
                    if isThere { chmod(specification.destination.directory, 0o755) }
                    let path = try #require(await fixture.run(specification).0.completion?.file?.path)
                    #expect(mode(path) == 0o600)
                    #expect(mode(specification.destination.directory) == 0o700)
                    #expect(mode(fixture.root + "/app") == 0o700)
                }
            }
        }
    }
}
