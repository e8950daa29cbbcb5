// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import CurlTransport

@Suite("URLs as libcurl reads them")
struct RequestURLTests {
    @Test(
        "Names become Punycode, bytes that may not stand in a URL are escaped once, and escapes stay",
        arguments: [
            ("http://h/a%20b?c=%C3%A9#d", "http://h/a%20b?c=%C3%A9#d"),
            ("http://h/with space%20and", "http://h/with%20space%20and"),
            ("https://bücher.example:8/café", "https://xn--bcher-kva.example:8/caf%C3%A9"),
            ("http://h/a[1]%zz\t", "http://h/a[1]%zz%09"),
        ])
    func encoded(url: (String, String)) { #expect(RequestURL.encoded(url.0) == url.1) }
}
