// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

struct DownloadStateMachineLoginTests {
    /// Returns the scheme in the `Authorization` field of each sent request, or `nil` for a request without that
    /// field.
    private func schemes(_ directives: [DownloadStateMachine.Directive]) -> [String?] {
        directives.compactMap { directive -> String?? in
            guard case .send(let request) = directive else { return nil }
            return .some(request.value("Authorization").map { String($0.prefix { $0 != " " }) })
        }
    }

    private func plan(_ url: String = "http://h/f", credential: Credential? = Credential(user: "u", password: "p"))
        -> DownloadPlan
    {
        var plan = DownloadDialogue.plan(url)
        plan.request.logins.credential = credential
        plan.request.logins.clientNonce = "c"
        return plan
    }

    private func refuse(_ machine: inout DownloadStateMachine, _ challenge: String) -> [DownloadStateMachine.Directive]
    {
        let field = HeaderField(name: "WWW-Authenticate", value: challenge)
        return machine.received(ResponseHead(status: 401, fields: [field])) + machine.ended(nil)
    }

    @Test("N4: the transfer's credentials are sent immediately as Basic; an app's over HTTP wait for a challenge")
    func first() {
        var open = DownloadStateMachine(plan: plan())
        #expect(schemes(open.begin()) == ["Basic"])
        #expect(refuse(&open, "Basic realm=x") == [.end(.responded(status: 401))])
        var inURL = DownloadStateMachine(plan: plan("http://u:p@h/f", credential: nil))
        #expect(schemes(inURL.begin()) == ["Basic"])
        var unfit = DownloadStateMachine(plan: plan(credential: Credential(user: "u:v", password: "p")))
        #expect(schemes(unfit.begin()) == [nil])
        for (url, first) in [("http://h/f", nil), ("https://h/f", "Basic")] {
            var given = plan(url, credential: nil)
            let origin = url.replacing("/f", with: url.hasPrefix("https") ? ":443" : ":80")
            given.request.logins.challengeResponses = [
                StoredChallengeResponse(origin: origin, answer: .credential(Credential(user: "u", password: "p")))
            ]
            var machine = DownloadStateMachine(plan: given)
            #expect(schemes(machine.begin()) == [first])
        }
        var secure = DownloadStateMachine(plan: plan("https://h/f"))
        #expect(schemes(secure.begin()) == ["Basic"])
        #expect(refuse(&secure, "Basic realm=x") == [.end(.responded(status: 401))])
        var digest = DownloadStateMachine(plan: plan("https://h/f"))
        _ = digest.begin()
        #expect(schemes(refuse(&digest, "Digest nonce=1, qop=auth")) == ["Digest"])
    }

    @Test("Digest is preferred, and after a digest the password is not sent in the clear")
    func downgrade() {
        var machine = DownloadStateMachine(plan: plan())
        _ = machine.begin()
        #expect(schemes(refuse(&machine, "Basic realm=x, Digest nonce=1, qop=auth")) == ["Digest"])
        #expect(refuse(&machine, "Basic realm=x") == [.end(.responded(status: 401))])
    }

    @Test(
        "Each nonce is used once; a new nonce needs a stale flag or an accepted predecessor",
        arguments: [
            (["nonce=1", "nonce=1"], 1), (["nonce=1", "nonce=2"], 1), (["nonce=1", "nonce=1, stale=true"], 1),
            (["nonce=1", "nonce=2, stale=true"], 2),
            (["nonce=1", "nonce=2, stale=true", "nonce=3, stale=true", "nonce=4, stale=true"], 3),
        ])
    func nonces(challenges: [String], answers: Int) {
        var machine = DownloadStateMachine(plan: plan())
        _ = machine.begin()
        var sent = 0
        var last: [DownloadStateMachine.Directive] = []
        for challenge in challenges {
            last = refuse(&machine, "Digest \(challenge), qop=auth")
            sent += schemes(last).count
        }
        #expect(sent == answers)
        #expect((last == [.end(.responded(status: 401))]) == (sent < challenges.count))
    }

    @Test("Later requests carry the digest with a higher count, and may receive a new challenge")
    func later() {
        var plan = plan()
        (plan.offset, plan.total) = (5, 30)
        plan.validator = Validator(entityTag: "\"a\"", lastModified: nil)
        var machine = DownloadStateMachine(plan: plan)
        _ = machine.begin()
        _ = refuse(&machine, "Digest nonce=1, qop=auth")
        var fields = [
            HeaderField(name: "Content-Range", value: "bytes 5-9/30"), HeaderField(name: "ETag", value: "\"a\""),
        ]
        _ = machine.received(ResponseHead(status: 206, fields: fields))
        _ = machine.received(bytes: 5)
        guard case .send(let second)? = machine.ended(nil).first else {
            Issue.record("nothing sent")
            return
        }
        #expect(second.value("Authorization")?.contains("nc=00000002") == true)
        #expect(second.value("Range") == "bytes=10-")
        guard case .send(let third)? = refuse(&machine, "Digest nonce=2, qop=auth").first else {
            Issue.record("nothing sent")
            return
        }
        #expect(third.value("Authorization")?.contains("nonce=\"2\"") == true)
        #expect(third.value("Authorization")?.contains("nc=00000001") == true)
        #expect(third.value("Range") == "bytes=10-")
        fields[0].value = "bytes 10-29/30"
        _ = machine.received(ResponseHead(status: 206, fields: fields))
        #expect(machine.received(bytes: 20) == .keep(20))
    }

    @Test("Another origin receives no credentials, whether by redirect or by challenge")
    func otherOrigin() {
        for origin in ["http://other", "https://h", "http://h:81"] {
            var machine = DownloadStateMachine(plan: plan())
            _ = machine.begin()
            let location = HeaderField(name: "Location", value: origin + "/f")
            let decision = machine.received(ResponseHead(status: 302, fields: [location])) + machine.ended(nil)
            #expect(schemes(decision) == [nil])
            #expect(refuse(&machine, "Basic realm=x") == [.end(.responded(status: 401))])
        }
    }

    @Test("The app receives the supported challenges of an origin; unknown schemes are omitted")
    func challenged() {
        var plan = plan(credential: nil)
        plan.request.logins.asksForCredentials = true
        var machine = DownloadStateMachine(plan: plan)
        _ = machine.begin()
        let all = "Negotiate, Basic realm=\"a\", Basic realm=\"a\", Digest nonce=1, algorithm=ODD, Bearer"
        #expect(
            refuse(&machine, all) == [
                .end(
                    .challenged([
                        AuthenticationChallenge(scheme: .basic, realm: "a", origin: "http://h:80"),
                        AuthenticationChallenge(scheme: .bearer, realm: nil, origin: "http://h:80"),
                    ]))
            ])
        var unknown = DownloadStateMachine(plan: plan)
        _ = unknown.begin()
        #expect(refuse(&unknown, "Negotiate") == [.end(.responded(status: 401))])
    }

    @Test("The app's credentials are used; rejected credentials are requested again, and a refusal is not")
    func responded() {
        var plan = plan(credential: nil)
        plan.request.logins.asksForCredentials = true
        let token = HeaderField(name: "Authorization", value: "Bearer t")
        plan.request.headers = [HeaderField(name: "authorization", value: "old")]
        plan.request.logins.challengeResponses = [
            StoredChallengeResponse(origin: "http://h:80", answer: .headers([token]))
        ]
        var machine = DownloadStateMachine(plan: plan)
        guard case .send(let request)? = machine.begin().first else {
            Issue.record("nothing sent")
            return
        }
        #expect(request.fields.filter { $0.name.lowercased() == "authorization" } == [token])
        let again = AuthenticationChallenge(scheme: .bearer, realm: nil, origin: "http://h:80", wasRefused: true)
        #expect(refuse(&machine, "Bearer") == [.end(.challenged([again]))])
        plan.request.logins.challengeResponses[0].answer = .refuse
        var refused = DownloadStateMachine(plan: plan)
        _ = refused.begin()
        #expect(refuse(&refused, "Bearer") == [.end(.responded(status: 401))])
    }

    @Test("An expired token that was accepted before does not count as rejected, and its bytes are kept")
    func expired() {
        var plan = plan(credential: nil)
        plan.request.logins.asksForCredentials = true
        let token = HeaderField(name: "Authorization", value: "Bearer t")
        plan.request.logins.challengeResponses = [
            StoredChallengeResponse(origin: "http://h:80", answer: .headers([token]))
        ]
        (plan.offset, plan.total) = (5, 30)
        plan.validator = Validator(entityTag: "\"a\"", lastModified: nil)
        var machine = DownloadStateMachine(plan: plan)
        _ = machine.begin()
        let fields = [
            HeaderField(name: "Content-Range", value: "bytes 5-9/30"), HeaderField(name: "ETag", value: "\"a\""),
        ]
        _ = machine.received(ResponseHead(status: 206, fields: fields))
        _ = machine.received(bytes: 5)
        #expect(schemes(machine.ended(nil)) == ["Bearer"])
        let fresh = AuthenticationChallenge(scheme: .bearer, realm: nil, origin: "http://h:80", wasRefused: false)
        #expect(refuse(&machine, "Bearer error=\"invalid_token\"") == [.end(.challenged([fresh]))])
    }

    @Test("A token is sent to no other origin, whether by redirect or by challenge")
    func tokenElsewhere() {
        for origin in ["http://other", "https://h", "http://h:81"] {
            var plan = plan(credential: nil)
            plan.request.logins.asksForCredentials = true
            let token = HeaderField(name: "Authorization", value: "Bearer t")
            plan.request.logins.challengeResponses = [
                StoredChallengeResponse(origin: "http://h:80", answer: .headers([token]))
            ]
            var machine = DownloadStateMachine(plan: plan)
            #expect(schemes(machine.begin()) == ["Bearer"])
            let location = HeaderField(name: "Location", value: origin + "/f")
            let decision = machine.received(ResponseHead(status: 302, fields: [location])) + machine.ended(nil)
            #expect(schemes(decision) == [nil])
            let challenged = refuse(&machine, "Bearer")
            guard case .end(.challenged(let challenges))? = challenged.first else {
                Issue.record("\(challenged)")
                return
            }
            #expect(challenges.map(\.wasRefused) == [false])
            #expect(challenges.map(\.origin) != ["http://h:80"])
        }
    }

    @Test("407 from a proxy names the proxy and is final; 407 from a server without a proxy is a response")
    func proxy() {
        var plan = DownloadDialogue.plan()
        plan.request.proxy = "proxy:3128"
        var machine = DownloadStateMachine(plan: plan)
        _ = machine.begin()
        let directives = machine.received(ResponseHead(status: 407, fields: [])) + machine.ended(nil)
        guard case .end(.failed(let failure, keepsBytes: true))? = directives.first else {
            Issue.record("\(directives)")
            return
        }
        #expect(failure.cause == .proxyAuthentication)
        #expect(!failure.cause.isTemporary)
        #expect(failure.message.contains("proxy:3128"))
    }
}
