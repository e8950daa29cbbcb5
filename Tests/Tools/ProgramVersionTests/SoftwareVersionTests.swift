// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import ProgramVersion

@Suite("The version of programs")
struct SoftwareVersionTests {
    @Test("the number is three numbers, and this build's version has it")
    func number() {
        #expect(SoftwareVersion.current.split(separator: ".").compactMap { Int($0) }.count == 3)
        #expect(SoftwareVersion.ofThisBuild.number == SoftwareVersion.current)
    }

    @Test("the commit is twelve digits, and follows the number in parentheses")
    func description() {
        if let commit = SoftwareVersion.ofThisBuild.commit {
            #expect(commit.count == 12 && commit.allSatisfy(\.isHexDigit), "\(commit)")
        }
        #expect("\(SoftwareVersion(number: "1.2.3", commit: "0123456789ab"))" == "1.2.3 (0123456789ab)")
        #expect("\(SoftwareVersion(number: "1.2.3"))" == "1.2.3")
    }

    @Test("an unknown commit does not differ from a known one, but another number and another commit do")
    func difference() {
        let version = SoftwareVersion(number: "1.2.3", commit: "a")
        #expect(!version.differs(from: version))
        #expect(!version.differs(from: SoftwareVersion(number: "1.2.3")))
        #expect(!SoftwareVersion(number: "1.2.3").differs(from: version))
        #expect(version.differs(from: SoftwareVersion(number: "1.2.3", commit: "b")))
        #expect(version.differs(from: SoftwareVersion(number: "1.2.4", commit: "a")))
    }
}
