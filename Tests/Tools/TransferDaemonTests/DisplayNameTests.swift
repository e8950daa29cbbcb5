// SPDX-License-Identifier: Apache-2.0
import Testing
import ToolSupport
import TransferEngine
import TransferModel
import TransferPolicy

@Suite struct DisplayNameTests {
    @Test(
        "A URL's file name is decoded, unless the result contains invalid characters",
        arguments: [
            ("http://h/d/a%20b.txt", "a b.txt"), ("http://h/%C3%A4", "ä"), ("http://h/%00%2e%2e%2f", "%00%2e%2e%2f"),
            ("http://h/a%2Fb", "a%2Fb"), ("http://h/a%0Ab", "a%0Ab"), ("http://h/a%7F", "a%7F"),
            ("http://h/%FF", "%FF"),
        ])
    func decoded(url: String, name: String) {
        let specification = TransferSpecification(
            url: url, destination: Destination(directory: "/d", name: nil),
            traits: TransferTraits(
                kind: .normal, host: "http://h:80", app: "a", submitted: WallTime(secondsSinceEpoch: 1_700_000_000)))
        #expect(DisplayName(of: specification).text == name)
    }
}
