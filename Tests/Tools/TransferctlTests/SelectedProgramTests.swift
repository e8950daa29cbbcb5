// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import transferctl

@Suite("The program that the name of the file selects")
struct SelectedProgramTests {
    @Test(
        "Every name selects its program, whatever the caller calls it",
        arguments: [
            ("transferctl", SelectedProgram.control(nil)), ("transferd", .daemon), ("transferlab", .lab),
            ("transfer-rpc", .rpc), ("transfer-worker", .worker),
        ])
    func names(name: String, program: SelectedProgram) {
        for called in ["/usr/bin/\(name)", "", "/", "transferd", "transfer-worker", "curl/", "Curl"] {
            #expect(SelectedProgram(file: "/usr/bin/\(name)", called: called) == program, "\(called)")
        }
    }

    @Test("A personality is selected by the file, or by the name of a symbolic link to transferctl")
    func personalities() {
        #expect(SelectedProgram(file: "/usr/libexec/transferctl/curl", called: "") == .control(.curl))
        #expect(SelectedProgram(file: "/usr/libexec/transferctl/curl", called: "transferctl") == .control(.curl))
        #expect(SelectedProgram(file: "/usr/bin/transferctl", called: "curl") == .control(.curl))
        #expect(SelectedProgram(file: "/usr/bin/transferctl", called: "/opt/bin/aria2c") == .control(.aria2c))
        #expect(SelectedProgram(file: "/usr/bin/transferd", called: "curl") == .daemon)
    }

    @Test(
        "Other names select nothing",
        arguments: ["", "/", "/usr/bin/transferctl-old", "/usr/bin/Transferctl", "/transferd/"])
    func others(file: String) {
        #expect(SelectedProgram(file: file, called: "transferctl") == nil)
    }
}
