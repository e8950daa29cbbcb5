// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import ToolSupport
import TransferModel

@testable import transferctl

/// Rule D4 of the doors: command lines of other programs, recorded from their callers.
@Suite("D4: personalities")
struct PersonalityTests {
    private func words(
        _ personality: Personality, _ arguments: String..., files: [String: String] = [:],
        written: (String) -> Void = { _ in }
    ) throws -> [String] {
        let result = try personality.translate(
            arguments, version: "9",
            readFile: { name in
                guard let text = files[name] else { throw UsageError("cannot read '\(name)'") }
                return text
            },
            makeFile: { text in
                written(text)
                return "/made"
            })
        guard case .words(let words) = result else { return [] }
        return words
    }

    private func message(_ body: () throws -> Void) -> String {
        do { try body() } catch { return "\(error)" }
        return ""
    }

    @Test("curl, as yt-dlp and pacman call it")
    func curl() throws {
        #expect(
            try words(
                .curl, "--location", "-o", "f.part", "--compressed", "--cookie", "-", "--header", "Accept: */*",
                "--continue-at", "-", "--silent", "--limit-rate", "50K", "--retry", "2147483647", "--proxy",
                "http://p:1", "--insecure", "--", "https://h/x")
                == [
                    "get", "--no-paths", "--cookies", "-", "--header", "Accept: */*", "--quiet", "--limit-rate", "50K",
                    "--retries",
                    "1000000", "--proxy", "http://p:1", "--insecure", "--output", "f.part", "--rename", "--",
                    "https://h/x",
                ])
        #expect(
            try words(.curl, "-LC", "-", "-f", "-o", "/var/cache/p.part", "https://h/p")
                == ["get", "--no-paths", "--output", "/var/cache/p.part", "--rename", "--", "https://h/p"])
        #expect(
            try words(.curl, "-fsSL", "https://h/x") == [
                "get", "--no-paths", "--quiet", "--output", "-", "--", "https://h/x",
            ])
        #expect(
            try words(.curl, "-O", "-b", "k=v", "https://h/x")
                == [
                    "get", "--no-paths", "--header", "Cookie: k=v", "--remote-name", "--overwrite", "--", "https://h/x",
                ])
        #expect(message { _ = try words(.curl, "-C", "100", "http://h/x") }.contains("use -"))
    }

    @Test("aria2c, as yt-dlp calls it")
    func aria2() throws {
        #expect(
            try words(
                .aria2c, "--no-conf", "--auto-save-interval=10", "--console-log-level=warn", "--summary-interval=0",
                "--download-result=hide", "--http-accept-gzip=true", "--file-allocation=none", "-x16", "-j16", "-s16",
                "--min-split-size", "1M", "--load-cookies=/tmp/c", "--header", "User-Agent: U",
                "--max-overall-download-limit", "9000", "--check-certificate=false", "--remote-time=true",
                "--show-console-readout=false", "--remove-control-file=false", "--allow-overwrite=true",
                "--always-resume=false", "--auto-file-renaming=false", "--force-save=false", "--dir", "./d/", "--out",
                "./f.part", "--", "https://h/x")
                == [
                    "get", "--no-paths", "--parallel", "16", "--cookies", "/tmp/c", "--header", "User-Agent: U",
                    "--limit-rate",
                    "9000", "--insecure", "--remote-time", "--connections", "16", "--output", "./d//./f.part",
                    "--overwrite", "--", "https://h/x",
                ])
    }

    @Test(
        "aria2c's options without a meaning here do nothing, alone and in a list",
        arguments: [
            "--allow-piece-length-change=true", "--allow-piece-length-change", "--console-log-level=error",
            "--optimize-concurrent-downloads=5:25", "--on-download-complete=/bin/true", "--bt-tracker=udp://t", "-V",
            "-Dc",
            "--disk-cache 64M", "-k1M", "-l -", "--rpc-secret=x", "--ssh-host-key-md=sha-1=aa", "-nP", "--seed-time=0",
            "--conf-path=/dev/null", "--enable-rpc=false", "-T x.torrent", "--no-proxy=a,b", "--stderr=true",
        ])
    func withoutEffect(option: String) throws {
        let plain = try words(.aria2c, "http://h/x")
        let arguments = option.split(separator: " ").map(String.init) + ["http://h/x"]
        let result = try Personality.aria2c.translate(
            arguments, version: "9", readFile: { $0 }, makeFile: { $0 })
        #expect(result == .words(plain))
        guard option.hasPrefix("--"), option.contains("=") else { return }
        var made = ""
        _ = try words(.aria2c, "-i", "l", files: ["l": "http://h/x\n \(option.dropFirst(2))\n"]) { made = $0 }
        #expect(made == "http://h/x\n")
    }

    @Test("aria2c, as yt-dlp 2023.03 of Debian 12 calls it for fragments, and options with a meaning here")
    func fragments() throws {
        var made = ""
        let command = try words(
            .aria2c, "--no-conf", "--console-log-level=warn", "--summary-interval=0", "--download-result=hide",
            "--http-accept-gzip=true", "--file-allocation=none", "-x16", "-j16", "-s16", "--min-split-size", "1M",
            "--allow-piece-length-change=true", "--check-certificate=true", "--remote-time=true",
            "--show-console-readout=true", "--dir", ".", "--uri-selector=inorder", "--input-file", "f.urls",
            "--auto-file-renaming=false", "--allow-overwrite=true", "--deferred-input=true",
            files: ["f.urls": "http://h/1\n\tout=a-Frag1\nhttp://h/2\n\tout=a-Frag2\n"]
        ) { made = $0 }
        #expect(made == "http://h/1\tout=a-Frag1\nhttp://h/2\tout=a-Frag2\n")
        #expect(command.contains("--overwrite") && command.contains(["--input", "/made", "--directory", "."]))
        #expect(try words(.aria2c, "-Z", "http://a/f", "http://b/g").suffix(3) == ["--", "http://a/f", "http://b/g"])
        #expect(
            try words(.aria2c, "--http-user=me", "--http-passwd=a:b", "http://h/").contains(["--user", "me:a:b"]))
        #expect(try words(.aria2c, "--https-proxy=http://p:1", "http://h/").contains(["--proxy", "http://p:1"]))
        #expect(try words(.aria2c, "--dry-run", "http://h/").contains("--dry-run"))
    }

    @Test("aria2c with a list, as apt-fast calls it")
    func list() throws {
        var made = ""
        let list =
            "http://m/a.deb\t\n checksum=sha-256=\(String(repeating: "a", count: 64))\n out=a_1.deb\n dir=/apt\n"
            + "# remark\nhttp://m/b.deb\n\tout=b_1.deb\n  dir=/apt\n"
        let words = try words(
            .aria2c, "--no-conf", "-c", "-j", "5", "-x", "8", "-s", "4", "-i", "/l", "--min-split-size=1M",
            "--stream-piece-selector=default", "--connect-timeout=600", "--timeout=600", "-m0", "--header",
            "Accept: */*", files: ["/l": list]
        ) { made = $0 }
        #expect(
            words == [
                "get", "--no-paths", "--parallel", "5", "--timeout", "600", "--header", "Accept: */*", "--connections",
                "4",
                "--input", "/made", "--rename", "--",
            ])
        #expect(
            made == "http://m/a.deb\tchecksum=sha256:\(String(repeating: "a", count: 64))\tout=a_1.deb\tdir=/apt\n"
                + "http://m/b.deb\tout=b_1.deb\tdir=/apt\n")
    }

    @Test("The options of each download of a list")
    func listOptions() throws {
        var made = ""
        let list =
            "http://a/f\n header=X: a\tb\n header=Cookie: c=d\n referer=http://r/\n user-agent=A\n dir=/a\nhttp://b/f\n dir=b\n"
        let command = try words(.aria2c, "-d", "/x", "-i", "/l", files: ["/l": list]) { made = $0 }
        #expect(
            made == "http://a/f\theader=X: a b\theader=Cookie: c=d\treferer=http://r/\tuser-agent=A\tdir=/a\n"
                + "http://b/f\tdir=b\n")
        #expect(command.contains(["--input", "/made", "--directory", "/x"]))
    }

    @Test("Several URLs are mirrors of one file")
    func mirrors() throws {
        let command = try words(.aria2c, "http://a/f", "http://b/f")
        #expect(command.suffix(2) == ["--", "http://a/f"])
        #expect(command.contains(["--mirror", "http://b/f"]))
        var made = ""
        _ = try words(.aria2c, "-i", "/l", files: ["/l": "http://a/f\thttp://b/f\t\n out=g\n"]) { made = $0 }
        #expect(made == "http://a/f\thttp://b/f\tout=g\n")
    }

    @Test("A list with a fault is refused with its line")
    func faultyLists() {
        for (list, word) in [
            ("", "contains no URL"), (" out=x\n", ":1: an option before"),
            ("http://a\n split=2\n", ":2: the option 'split'"),
            ("http://a\n nothing\n", ":2: 'nothing' is not an option"),
            ("http://a\n checksum=crc=1\n", ":2: not a valid checksum"),
        ] {
            let text = message { _ = try words(.aria2c, "-i", "l", files: ["l": list]) }
            #expect(text.contains(word), "\(list): \(text)")
        }
        #expect(message { _ = try words(.aria2c, "-i", "none") }.contains("cannot read"))
        #expect(
            message { _ = try words(.aria2c, "-i", "l", "http://a", files: ["l": "http://b"]) }.contains("exclusive"))
    }

    @Test("pacman's downloader, with the URL and the file in either form")
    func pacman() throws {
        #expect(
            try words(.xfercommand, "https://m/p", "/c/p.part")
                == ["get", "--no-paths", "--output", "/c/p.part", "--rename", "--", "https://m/p"])
        #expect(
            try words(.xfercommand, "-o", "/c/p.part", "https://m/p")
                == ["get", "--no-paths", "--output", "/c/p.part", "--overwrite", "--", "https://m/p"])
        #expect(message { _ = try words(.xfercommand, "https://m/p") }.contains("%u %o"))
    }

    @Test("An unknown option names itself and the supported ones; values that are missing or wrong are named")
    func unknown() {
        for (personality, option) in [
            (Personality.curl, "--data"), (.aria2c, "--enable-rp"), (.xfercommand, "-x"), (.curl, "-K/etc/config"),
        ] {
            let text = message { _ = try words(personality, option, "http://h/x") }
            #expect(text.contains("does not support the option") && text.contains("--output") || text.contains("--out"))
        }
        #expect(message { _ = try words(.curl, "http://h/x", "-o") }.contains("'-o' needs a value"))
        #expect(message { _ = try words(.aria2c, "-x", "-3", "http://h/x") }.contains("not a valid number"))
        #expect(
            message { _ = try words(.aria2c, "--check-certificate=maybe", "http://h/x") }.contains("=true or =false"))
        #expect(message { _ = try words(.curl, "--silent=yes", "http://h/x") }.contains("has no value"))
    }

    @Test("After --, a word that looks like an option is a URL, and never an option of 'get'")
    func terminator() throws {
        let words = try words(.aria2c, "-o", "--on-complete=/bin/sh", "--", "--state-dir=/x")
        #expect(
            words == ["get", "--no-paths", "--output", "--on-complete=/bin/sh", "--rename", "--", "--state-dir=/x"])
    }

    @Test("The probes of callers get the answers that they parse")
    func probes() throws {
        func text(_ personality: Personality, _ option: String) throws -> String {
            guard
                case .text(let text) = try personality.translate(
                    [option], version: "9", readFile: { $0 }, makeFile: { $0 })
            else { return "" }
            return text
        }
        let curl = try text(.curl, "-V").split(separator: " ")
        #expect(curl[0] == "curl" && curl[1].split(separator: ".").compactMap { Int($0) }.count == 3)
        #expect(try text(.aria2c, "-v").hasPrefix("aria2 version 1."))
        #expect(try text(.aria2c, "--help").contains("--load-cookies"))
        #expect(try !text(.aria2c, "--help").contains("--file-allocation"))
    }

    @Test("Exit statuses are those of the imitated program")
    func statuses() {
        func failure(_ code: String, _ status: Int? = nil) -> TransferStatus {
            var failure = TransferStatus(
                id: TransferID(1), url: "", name: "", app: "", isUpload: false, kind: .normal, priority: 500,
                state: .failed, submitted: WallTime(secondsSinceEpoch: 0))
            (failure.errorCode, failure.status) = (code, status)
            return failure
        }
        for personality in Personality.allCases { #expect(personality.status(for: 0, failure: nil) == 0) }
        #expect(Personality.curl.status(for: 2, failure: nil) == 2)
        #expect(Personality.aria2c.status(for: 2, failure: nil) == 28)
        #expect(Personality.xfercommand.status(for: 2, failure: nil) == 1)
        #expect(Personality.curl.status(for: 1, failure: failure("status", 404)) == 22)
        #expect(Personality.curl.status(for: 1, failure: failure("connection")) == 7)
        #expect(Personality.curl.status(for: 1, failure: nil) == 56)
        #expect(Personality.aria2c.status(for: 1, failure: failure("status", 404)) == 3)
        #expect(Personality.aria2c.status(for: 1, failure: failure("status", 503)) == 22)
        #expect(Personality.aria2c.status(for: 1, failure: failure("checksumMismatch")) == 32)
        #expect(Personality.aria2c.status(for: 130, failure: nil) == 7)
        #expect(Personality.xfercommand.status(for: 130, failure: nil) == 130)
    }
}
