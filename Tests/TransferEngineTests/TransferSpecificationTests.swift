// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine

@Suite struct TransferSpecificationTests {
    @Test(
        "A URL is shown without what may be secret",
        arguments: [
            ("http://h/f", "http://h/f"), ("https://u:p@h:1/a/b?q=1#f", "https://h:1/a/b"), ("http://h", "http://h"),
            ("http://u:p@h", "http://h"), ("http://u:p@x@h/@/c", "http://h/@/c"), ("http://h/f#s?t", "http://h/f"),
            ("a:b@c", "a:b@c"), ("", ""), ("http://h/ä?ö", "http://h/ä"), ("http://", "http://"),
            // A mark behind a delimiter makes another letter of it for people, but not for servers.
            ("http://h/f?\u{301}secret", "http://h/f"), ("http://u:p@\u{301}h/", "http://\u{301}h/"),
        ])
    func redacted(url: String, shown: String) { #expect(TransferSpecification.redacted(url: url) == shown) }
}
