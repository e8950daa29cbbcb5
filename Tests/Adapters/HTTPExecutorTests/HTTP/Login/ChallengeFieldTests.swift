// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel

@testable import HTTPExecutor

struct ChallengeFieldTests {
    @Test(
        "A field is parsed challenge by challenge, whatever the quoted strings contain",
        arguments: [
            ("Basic realm=\"x\"", ["basic realm=x"]), ("basic", ["basic"]), ("", []), (",, ,", []),
            (
                "Digest realm=\"a, b=\\\"c\\\"\", nonce=n , qop = \"auth,auth-int\"",
                ["digest nonce=n qop=auth,auth-int realm=a, b=\"c\""]
            ),
            ("Negotiate, Basic realm=x, Bearer scope=\"a b\"", ["negotiate", "basic realm=x", "bearer scope=a b"]),
            ("Negotiate YWJj==, NTLM YWJj, Basic realm=\"x\"", ["negotiate", "ntlm", "basic realm=x"]),
            (
                "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
                ["newauth realm=apps title=Login to \"apps\" type=1", "basic realm=simple"]
            ),
            ("Basic realm=\"never ends, Digest nonce=1", ["basic realm=never ends, Digest nonce=1"]),
            ("Basic realm=a, REALM=b", ["basic realm=a"]), ("=x, realm=y", []), ("<html>", []),
            ("Bearer realm=\"ü\", error=\"invalid_token\"", ["bearer error=invalid_token realm=ü"]),
        ] as [(String, [String])])
    func reading(value: String, expected: [String]) {
        let lines = ChallengeField.all(in: value).map { challenge in
            ([challenge.scheme] + challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                .joined(separator: " ")
        }
        #expect(lines == expected)
    }

    @Test("The responses match RFC 7616 §3.9.1 and RFC 2617 §3.5", arguments: ["MD5", "SHA-256"])
    func vectors(algorithm: String) throws {
        let field = """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        let challenge = try #require(DigestChallenge.best(of: ChallengeField.all(in: field)))
        let answer = challenge.answer(
            Credential(user: "Mufasa", password: "Circle of Life"), method: "GET", target: "/dir/index.html",
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", count: 1)
        let response =
            algorithm == "MD5"
            ? "8ca523f5e9506fed4657c9700eebdbec"
            : "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
        #expect(answer.contains("response=\"\(response)\""))
        #expect(answer.contains("nc=00000001"))
        let old = try #require(
            DigestChallenge(
                ChallengeField(
                    scheme: "digest",
                    parameters: [
                        "realm": "testrealm@host.com", "qop": "auth", "nonce": "dcd98b7102dd2f0e8b11d0f600bfb0c093",
                    ])))
        let oldResponse = old.answer(
            Credential(user: "Mufasa", password: "Circle Of Life"), method: "GET", target: "/dir/index.html",
            clientNonce: "0a4f113b", count: 1)
        #expect(oldResponse.contains("response=\"6629fae49393a05397450978507c4ef1\""))
    }

    @Test("The strongest known algorithm is used, and unknown algorithms are not")
    func algorithms() {
        func best(_ value: String) -> String? {
            DigestChallenge.best(of: ChallengeField.all(in: value))?.nonce
        }
        #expect(best("Digest nonce=a, Digest nonce=b, algorithm=SHA-256") == "b")
        #expect(best("Digest nonce=a, algorithm=SHA-512-256, Digest nonce=b, qop=\"auth-int\"") == nil)
        #expect(best("Digest realm=x, Basic nonce=a") == nil)
    }

    @Test("Names that do not fit in a quoted string are escaped")
    func names() throws {
        let challenge = try #require(DigestChallenge(ChallengeField(scheme: "digest", parameters: ["nonce": "n"])))
        func answer(_ user: String) -> String {
            challenge.answer(
                Credential(user: user, password: "p"), method: "GET", target: "/", clientNonce: "c", count: 1)
        }
        #expect(answer("a\"b\\c").hasPrefix("Digest username=\"a\\\"b\\\\c\","))
        #expect(answer("Jäsøn").hasPrefix("Digest username*=UTF-8''J%C3%A4s%C3%B8n,"))
    }
}
