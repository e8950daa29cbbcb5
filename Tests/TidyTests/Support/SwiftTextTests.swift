// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("SwiftText")
struct SwiftTextTests {
    @Test(
        "distinguishes code from comments and strings",
        arguments: [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (#"x = "y" + z"#, "x =     + z"),
            (#"f("\"// not" , g)"#, "f(           , g)"),
            (#"f("\(a + g(")")) b", c)"#, "f(   a + g(   )    , c)"),
            ("a\n\"\"\"\nb \"c\"\n\"\"\"\nd", "a\n   \n     \n   \nd"),
            ("##\"a\"# b\"## + c", "            + c"),
            ("a \"unclosed\nb", "a          \nb"),
        ])
    func code(_ sample: (text: String, code: String)) {
        #expect(SwiftText.code(of: sample.text) == sample.code)
    }

    @Test("finds the matching brace")
    func braces() {
        let code = Array("f { a { b } c } d }".utf8)
        #expect(SwiftText.braces(in: code, from: 0) == 2..<15)
        #expect(SwiftText.braces(in: code, from: 3) == 6..<11)
        #expect(SwiftText.braces(in: Array("{ {".utf8), from: 0) == nil)
    }
}
