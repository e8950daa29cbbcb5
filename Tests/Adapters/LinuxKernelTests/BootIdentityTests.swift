// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import LinuxKernel

@Suite("The identity of the boot")
struct BootIdentityTests {
    @Test("The id is the kernel's without the line feed")
    func kernel() throws {
        let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #expect(BootIdentity.current + "\n" == text)
    }

    @Test("A missing id is empty")
    func missing() {
        #expect(BootIdentity.id(in: "/dev/null") == "")
        #expect(BootIdentity.id(in: "/proc") == "")
        #expect(BootIdentity.id(in: "/nonexistent") == "")
    }
}
