// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@Suite struct MarkupElementTests {
    @Test("Elements, attributes, and text are read; prefixes, comments, and instructions are not")
    func reads() throws {
        let root = try MarkupElement(
            parsing: """
                <?xml version="1.0"?><!-- c --><m:a xmlns:m="urn:m" k="1 &amp; 2">x<b>&lt;y&#228;</b>z<b/><![CDATA[<w>]]></m:a>
                """)
        #expect(root.name == "a" && root.attributes["k"] == "1 & 2" && root.text == "xz<w>")
        #expect(root.children(named: "b").map(\.text) == ["<yä", ""])
    }

    @Test(
        "Faulty documents are refused in words",
        arguments: [
            ("", "empty"), ("text", ""), ("<a><b></a>", "b"), ("<a", ""), ("<a>&x;</a>", "x"),
            ("<!DOCTYPE a><a/>", "document types"), ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "document types"),
            (String(repeating: "<a>", count: 40) + String(repeating: "</a>", count: 40), "nested more than 32"),
        ])
    func refuses(text: String, words: String) {
        let fault = #expect(throws: MarkupFault.self) { try MarkupElement(parsing: text) }
        #expect(throws: MarkupFault.self) { try MarkupElement(parsing: "<a>\u{0}</a>") }
        #expect(fault?.description.contains(words) == true && fault?.description.isEmpty == false, "\(fault as Any)")
    }
}
