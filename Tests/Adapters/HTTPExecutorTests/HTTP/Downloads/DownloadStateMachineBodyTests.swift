// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

@Suite("Downloads with a request method and body")
struct DownloadStateMachineBodyTests {
    private func plan(method: String = "POST") -> DownloadPlan {
        var plan = DownloadDialogue.plan("https://a/x")
        plan.request.headers = [HeaderField(name: "Content-Type", value: "text/plain")]
        plan.body = RequestBody(method: method, bytes: [1, 2])
        return plan
    }

    private func request(_ directives: [DownloadStateMachine.Directive]) -> RequestHead? {
        guard case .send(let request)? = directives.last else { return nil }
        return request
    }

    @Test("the request is for the whole file, regardless of the bytes of an earlier attempt")
    func whole() {
        var plan = plan()
        plan.offset = 100
        plan.total = 200
        plan.validator = Validator(entityTag: "\"v\"", lastModified: nil)
        var machine = DownloadStateMachine(plan: plan)
        let directives = machine.begin()
        #expect(directives.first == .restart(.notResumable))
        let head = request(directives)
        #expect(head?.method == "POST")
        #expect(head?.content == [1, 2])
        #expect(head?.value("Range") == nil && head?.value("If-Range") == nil)
    }

    @Test(
        "a POST or PATCH is not repeated after a response of a server that may have acted",
        arguments: [
            ("POST", 500, false), ("POST", 502, false), ("PATCH", 504, false), ("POST", 503, true), ("POST", 429, true),
            ("PUT", 500, true), ("DELETE", 502, true),
        ])
    func serverError(method: String, status: Int, isRepeated: Bool) {
        var machine = DownloadStateMachine(plan: plan(method: method))
        _ = machine.begin()
        _ = machine.received(ResponseHead(status: status, fields: []))
        let end = machine.ended(nil).first
        if case .end(.failed)? = end {
            #expect(isRepeated)
        } else {
            #expect(end == .end(.responded(status: status)) && !isRepeated)
        }
    }

    @Test("a redirect from a POST to the same URL is followed by a GET; a second redirect there is a loop")
    func redirectToItself() {
        var machine = DownloadStateMachine(plan: plan())
        _ = machine.begin()
        let redirect = ResponseHead(status: 303, fields: [HeaderField(name: "Location", value: "/x")])
        _ = machine.received(redirect)
        let head = request(machine.ended(nil))
        #expect(head?.url == "https://a/x" && head?.method == "GET" && head?.content == nil)
        _ = machine.received(redirect)
        #expect(request(machine.ended(nil)) == nil)
    }

    @Test(
        "a redirect keeps the method and the body, or makes the request a GET, as in browsers",
        arguments: [
            ("POST", 301, "GET"), ("POST", 302, "GET"), ("POST", 303, "GET"), ("POST", 307, "POST"),
            ("POST", 308, "POST"), ("PUT", 302, "PUT"), ("PUT", 303, "GET"),
        ])
    func redirect(method: String, status: Int, next: String) {
        var machine = DownloadStateMachine(plan: plan(method: method))
        _ = machine.begin()
        _ = machine.received(ResponseHead(status: status, fields: [HeaderField(name: "Location", value: "/y")]))
        let head = request(machine.ended(nil))
        #expect(head?.url == "https://a/y")
        #expect(head?.method == next)
        #expect(head?.content == (next == "GET" ? nil : [1, 2]))
        #expect((head?.value("Content-Type") == nil) == (next == "GET"))
    }

    @Test("a body that goes to another origin keeps the fields that describe it, and no other", arguments: [307, 308])
    func otherOrigin(status: Int) {
        var plan = plan()
        plan.request.headers += [
            HeaderField(name: "content-encoding", value: "br"), HeaderField(name: "Authorization", value: "secret"),
        ]
        var machine = DownloadStateMachine(plan: plan)
        _ = machine.begin()
        let location = HeaderField(name: "Location", value: "https://b/y")
        _ = machine.received(ResponseHead(status: status, fields: [location]))
        let head = request(machine.ended(nil))
        #expect(head?.url == "https://b/y" && head?.content == [1, 2])
        #expect(head?.value("Content-Type") == "text/plain" && head?.value("Content-Encoding") == "br")
        #expect(head?.value("Authorization") == nil)
    }

    @Test("N5: the server that requests a wait is named, also after a redirect")
    func serverOfWait() {
        var plan = plan(method: "GET")
        plan.body = nil
        plan.request.allowsInsecureRedirect = true
        let location = HeaderField(name: "Location", value: "http://b:8080/y")
        var machine = DownloadStateMachine(plan: plan)
        _ = machine.begin()
        _ = machine.received(ResponseHead(status: 302, fields: [location]))
        _ = machine.ended(nil)
        _ = machine.received(ResponseHead(status: 429, fields: [HeaderField(name: "Retry-After", value: "9")]))
        guard case .end(.failed(let failure, _))? = machine.ended(nil).last else {
            Issue.record("no failure")
            return
        }
        #expect(failure.retryAfterServer == "http://b:8080")
    }

    @Test(
        "a login page to which a network redirects the request is not the response",
        arguments: [
            ("http://a.net/x", "http://portal/login", false), ("http://a.net/x", "https://portal.net/login", false),
            ("http://a.net/x", "/y", true), ("https://a.net/x", "https://portal.net/login", true),
            ("http://127.0.0.1/x", "http://portal.net/login", true), ("http://10.1.2.3/x", "http://b.net/y", true),
        ])
    func loginPage(url: String, location: String, isFollowed: Bool) {
        var plan = plan()
        plan.request.url = url
        plan.request.allowsLocalRedirect = true
        var machine = DownloadStateMachine(plan: plan)
        _ = machine.begin()
        _ = machine.received(ResponseHead(status: 302, fields: [HeaderField(name: "Location", value: location)]))
        let directives = machine.ended(nil)
        #expect((request(directives) != nil) == isFollowed)
        guard !isFollowed, case .end(.failed(let failure, _))? = directives.last else { return }
        #expect(failure.cause == .captivePortal)
    }
}
