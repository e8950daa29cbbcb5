// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

struct DownloadStateMachineRedirectTests {
    private func follow(
        _ locations: [String], from url: String = "https://a/x/f.bin", allowsInsecure: Bool = false,
        staysOnLoopback: Bool = false, headers: [HeaderField] = [], cookies: [Cookie] = []
    ) -> (requests: [RequestHead], failure: TransferFailure?) {
        var plan = DownloadDialogue.plan(url)
        plan.request.allowsInsecureRedirect = allowsInsecure
        plan.request.staysOnLoopback = staysOnLoopback
        plan.request.headers = headers
        plan.request.cookies = cookies
        var machine = DownloadStateMachine(plan: plan)
        var directives = machine.begin()
        var requests: [RequestHead] = []
        for location in locations + [""] {
            guard case .send(let request)? = directives.first else { break }
            requests.append(request)
            if location.isEmpty { break }
            let head = ResponseHead(status: 302, fields: [HeaderField(name: "location", value: location)])
            #expect(machine.received(head).isEmpty)
            directives = machine.ended(nil)
        }
        if case .end(.failed(let failure, _))? = directives.first { return (requests, failure) }
        return (requests, nil)
    }

    @Test("A transfer that is exempt from network conditions does not follow redirects to other machines")
    func staysOnLoopback() {
        let local = follow(["http://localhost:8/y"], from: "http://127.0.0.1/x", staysOnLoopback: true)
        #expect(local.failure == nil)
        #expect(local.requests.last?.url == "http://localhost:8/y")
        let away = follow(["http://b/y"], from: "http://127.0.0.1/x", staysOnLoopback: true)
        #expect(away.failure?.cause == .redirect)
        #expect(away.requests.count == 1)
        #expect(follow(["http://b/y"], from: "http://127.0.0.1/x").failure == nil)
    }

    @Test(
        "Location is resolved according to RFC 3986",
        arguments: [
            ("g", "https://a/x/g"), ("/g", "https://a/g"), ("//b/g", "https://b/g"), ("?q=1", "https://a/x/f.bin?q=1"),
            ("../g", "https://a/g"), ("../../../g", "https://a/g"), ("./g/./h/../i", "https://a/x/g/i"),
            ("https://b:444/p#frag", "https://b:444/p"), ("HTTPS://B/p", "https://B/p"), ("g h", "https://a/x/g%20h"),
            ("é", "https://a/x/%C3%A9"), ("//[::1]:8/x", "https://[::1]:8/x"), ("https://u:p@b/x", "https://b/x"),
        ])
    func resolves(location: String, expected: String) {
        #expect(follow([location]).requests.last?.url == expected)
    }

    @Test(
        "A redirect that may not be followed fails",
        arguments: ["http://a/f", "file:///etc/passwd", "ftp://a/f", "data:,x", "mailto:x", "https:///x", "//[::1"])
    func refused(location: String) {
        let result = follow([location])
        #expect(result.requests.count == 1)
        #expect(result.failure?.cause == .redirect)
    }

    @Test("A redirect from https to http is followed if the caller allows it")
    func insecure() {
        #expect(follow(["http://a/f"], allowsInsecure: true).requests.last?.url == "http://a/f")
    }

    @Test(
        "Possible secrets stay with their origin",
        arguments: [
            ("https://b/f", false), ("https://a:8443/f", false), ("http://a/f", false), ("https://a:443/f", true),
            ("https://A/f", true), ("/g", true),
        ])
    func credentials(location: String, areKept: Bool) {
        let secrets = ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "Referer", "Acceptor"]
            .map { HeaderField(name: $0, value: "s") }
        let harmless = ["Accept", "Accept-Language", "User-Agent"].map { HeaderField(name: $0, value: "h") }
        let request = follow(
            [location], allowsInsecure: true, headers: secrets + harmless
        ).requests.last
        for secret in secrets { #expect((request?.value(secret.name) != nil) == areKept) }
        for field in harmless { #expect(request?.value(field.name) == "h") }
        #expect(request?.value("Accept-Encoding") == "identity")
    }

    @Test("Each request has the cookies of its own path and scheme; after another origin, there are none")
    func cookies() {
        let cookies = [
            "a\tFALSE\t/x\tFALSE\t0\tdeep\t1", "a\tFALSE\t/\tTRUE\t0\tsecure\t2",
            "a\tFALSE\t/y\tFALSE\t0\tother\t3", "b\tFALSE\t/\tFALSE\t0\tb\t4",
        ].compactMap { Cookie(line: $0) }
        func sent(_ locations: [String], from url: String = "https://a/x/f.bin") -> [String?] {
            follow(locations, from: url, allowsInsecure: true, cookies: cookies).requests.map { $0.value("Cookie") }
        }
        #expect(
            sent(["/y/g", "h", "/z"]) == ["deep=1; secure=2", "other=3; secure=2", "other=3; secure=2", "secure=2"])
        #expect(sent(["/y/g", "/x"], from: "http://a/z") == [nil, "other=3", "deep=1"])
        #expect(sent(["http://b/y", "https://a/y"]) == ["deep=1; secure=2", nil, nil])
        #expect(sent(["http://a/y"]) == ["deep=1; secure=2", nil])
    }

    @Test("Messages name hosts, never the query of a URL")
    func noSecretsInMessages() {
        let message = follow(["http://b/f?token=secret"]).failure?.message ?? ""
        #expect(message.contains("b"))
        #expect(!message.contains("secret"))
    }
}

struct DownloadStateMachineRepeatTests {
    private func plan(_ validator: Validator?) -> DownloadPlan {
        var plan = DownloadDialogue.plan()
        plan.completedBefore = CompletedFile(path: "/x", bytes: 30, modified: 1, validator: validator)
        return plan
    }
    private let tag = Validator(entityTag: "\"a\"", lastModified: nil)

    @Test("A finished file is checked with a conditional request, and 304 keeps the file")
    func notModified() {
        var talk = DownloadDialogue(plan(tag))
        let start = talk.machine.begin()
        guard case .send(let request)? = start.first else {
            Issue.record("nothing sent")
            return
        }
        #expect(request.value("If-None-Match") == "\"a\"")
        talk.head(304)
        talk.end()
        #expect(talk.lines == ["already 304"])
    }

    @Test("If a server ignores the condition, the version in its response counts")
    func sameVersion() {
        var talk = DownloadDialogue(plan(tag))
        talk.start()
        talk.head(200, ["Content-Length": "30", "ETag": "W/\"a\""])
        talk.end(.connection)
        #expect(talk.lines.suffix(2) == ["cancel", "already 200"])
    }

    @Test("Without a version on both sides, an equal size proves nothing, and the file is downloaded")
    func sizes() {
        for (mine, theirs) in [(nil, nil), (nil, "\"a\""), (tag, nil)] as [(Validator?, String?)] {
            var talk = DownloadDialogue(plan(mine))
            talk.start()
            talk.head(200, ["Content-Length": "30"].merging(theirs.map { ["ETag": $0] } ?? [:]) { $1 })
            talk.bytes(30)
            talk.end()
            #expect(talk.lines.last == "finish")
        }
        var talk = DownloadDialogue(plan(nil))
        talk.start()
        talk.head(304)
        talk.end()
        #expect(talk.lines.last == "answered 304")
    }

    @Test("Another version is downloaded")
    func changed() {
        var talk = DownloadDialogue(plan(tag))
        talk.start()
        talk.head(200, ["Content-Length": "30", "ETag": "\"b\""])
        talk.bytes(30)
        talk.end()
        #expect(talk.lines.last == "finish")
    }
}
