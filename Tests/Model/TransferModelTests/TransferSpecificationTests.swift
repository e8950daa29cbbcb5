// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@Suite struct TransferSpecificationTests {
    @Test(
        "A URL is shown without possible secrets",
        arguments: [
            ("http://h/f", "http://h/f"), ("https://u:p@h:1/a/b?q=1#f", "https://h:1/a/b"), ("http://h", "http://h"),
            ("http://u:p@h", "http://h"), ("http://u:p@x@h/@/c", "http://h/@/c"), ("http://h/f#s?t", "http://h/f"),
            ("a:b@c", "a:b@c"), ("", ""), ("http://h/ä?ö", "http://h/ä"), ("http://", "http://"),
            // Users read a delimiter with a combining mark as another character, but servers do not.
            ("http://h/f?\u{301}secret", "http://h/f"), ("http://u:p@\u{301}h/", "http://\u{301}h/"),
        ])
    func redacted(url: String, shown: String) { #expect(RedactedURL.text(of: url) == shown) }

    private static func redactedWithHeaders(_ specification: TransferSpecification) -> TransferSpecification {
        var other = specification
        other.headers = [HeaderField(name: "a", value: "b")]
        return other.redacted
    }

    @Test("A plain specification has no fields besides URL, destination, and traits; every field is stored")
    func plain() throws {
        let traits = TransferTraits(kind: .normal, host: "h", submitted: WallTime(secondsSinceEpoch: 1))
        let plain = TransferSpecification(
            url: "http://h/f", destination: Destination(directory: "/d", name: "n", collision: .fail), traits: traits)
        let settings: [(inout TransferSpecification) -> Void] = [
            { $0.headers = [HeaderField(name: "a", value: "b")] }, { $0.asksForCredentials = true },
            { $0.credential = Credential(user: "u", password: "p") }, { $0.keepsResponseHead = true },
            { $0.challengeResponses = [StoredChallengeResponse(origin: "http://h:80", answer: .refuse)] },
            { $0.body = RequestBody(method: "POST", bytes: []) },
            { $0.upload = UploadSource(path: "/f", size: 1, modified: 1) },
            { $0.checksum = Checksum(algorithm: .sha256, hexDigest: "00") }, { $0.idleTimeoutSeconds = 1 },
            { $0.allowsInsecureRedirect = true }, { $0.usesRemoteTime = true }, { $0.keepsErrorBody = true },
            { $0.maximumBytes = 1 }, { $0.rateLimit = 1 }, { $0.connections = 2 },
            { $0.mirrors = ["http://m/f"] },
            { $0.isPrivate = true }, { $0.acceptsAnyCertificate = true }, { $0.onComplete = ["/bin/true"] },
            { $0.isSandboxed = true }, { $0.acceptsWebPages = true },
            { $0.cookies = ["h\tFALSE\t/a\tTRUE\t9\tn\tv"].compactMap { Cookie(line: $0) } },
            { $0 = Self.redactedWithHeaders($0) },
            { specification in
                specification.url += "?key=1"
                specification = specification.redacted
            },
            { $0.completedBefore = CompletedFile(path: "/f", bytes: 1, modified: 1, validator: nil) },
        ]
        #expect(plain.isPlain)
        for set in settings {
            var other = plain
            set(&other)
            #expect(!other.isPlain, "\(other)")
            let stored = try JSONEncoder().encode(other)
            #expect(try JSONDecoder().decode(TransferSpecification.self, from: stored) == other)
        }
        #expect(plain.redacted == plain && Self.redactedWithHeaders(plain).isIncomplete)
        // A new field must be checked as well.
        #expect(Mirror(reflecting: plain).children.count == settings.count + 3)
    }
}
