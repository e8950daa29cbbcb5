// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@Suite struct TransferSubmissionTests {
    @Test(
        "The key for slots per host is scheme, host, and port, in lowercase",
        arguments: [
            ("http://h/f", "http://h:80"), ("https://h", "https://h:443"),
            ("HTTPS://H.Example:8443?q", "https://h.example:8443"),
            ("http://u:p@h:1/a@b", "http://h:1"), ("http://u:p@x@h#f", "http://h:80"), ("http://h:/f", "http://h:80"),
            ("http://[::1]:8080/f", "http://[::1]:8080"), ("https://[2001:DB8::1]", "https://[2001:db8::1]:443"),
            ("http://h\\@evil/f", "http://h:80"),
            // Users read a delimiter with a combining mark as another character, but servers do not.
            ("http://u@\u{301}h/", "http://\u{301}h:80"),
        ])
    func origin(url: String, origin: String) {
        #expect(TransferSpecification.Server(url)?.origin == origin)
    }

    @Test(
        "A URL without a server has no key",
        arguments: [
            "", "h", "ftp://h/f", "http:/h", "http://", "http:///f", "http://:80", "http://u@", "http://h:a",
            "http://h:70000",
            "http://[::1/f", "http://[::1]x", "http://a b/", "http://h\0x/", "file:///tmp/f",
        ])
    func noOrigin(url: String) { #expect(TransferSpecification.Server(url) == nil) }

    @Test("The defaults of a specification are a normal transfer of its server, dated at the submission")
    func defaults() {
        let specification = TransferSpecification(
            url: "https://h/f", destination: Destination(directory: "/d", name: nil))
        #expect(specification.traits == TransferTraits(kind: .normal, host: "", submitted: .atSubmission))
        #expect(specification.isPlain)
    }
}
