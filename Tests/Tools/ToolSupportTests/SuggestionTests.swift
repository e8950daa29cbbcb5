// SPDX-License-Identifier: Apache-2.0
import Testing
import ToolSupport

@Suite("Suggestions for mistyped names")
struct SuggestionTests {
    private let names = ["list", "log", "cancel", "history", "rate-limit", "parallel", "parallel-per-host"]

    @Test(
        "Finds swapped, missing, wrong, and further letters, and beginnings",
        arguments: [
            ("lsit", "list"), ("cancle", "cancel"), ("histroy", "history"), ("rate-limt", "rate-limit"), ("lgo", "log"),
            ("ratelimit", "rate-limit"), ("hist", "history"), ("LIST", "list"), ("paralel", "parallel"),
            ("parallel-per-hst", "parallel-per-host"), ("xyzzy", nil), ("", nil), ("q", nil),
        ] as [(String, String?)])
    func closest(typed: String, wanted: String?) { #expect(Suggestion.closest(to: typed, in: names) == wanted) }

    @Test("Is a question, or nothing")
    func text() {
        #expect(Suggestion.text(for: "lits", in: names) == "; did you mean 'list'?")
        #expect(Suggestion.text(for: "xyzzy", in: names).isEmpty)
    }
}
