// SPDX-License-Identifier: Apache-2.0
import Testing
import ToolSupport
import TransferModel

@testable import transferctl

@Suite("Files such as SHA256SUMS")
struct ChecksumListTests {
    private static let digits = String(repeating: "ab", count: 32)
    private static let others = String(repeating: "cd", count: 32)

    private func digest(_ text: String, _ names: String...) throws -> String {
        try ChecksumList(text, name: "SUMS").checksum(of: names).hexDigest
    }

    @Test(
        "Reads the formats of GNU and BSD, and ignores folders, comments, and signatures",
        arguments: [
            "\(digits)  f.iso", "\(digits) *f.iso", "\(digits.uppercased())  ./a/f.iso", "SHA256 (f.iso) = \(digits)",
            "# a comment\n\n\(others)  g\n\(digits)  f.iso\n",
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n\(digits)  f.iso\n-----BEGIN PGP SIGNATURE-----\nxx",
        ])
    func formats(text: String) throws { #expect(try digest(text, "f.iso") == Self.digits) }

    @Test("A digest of 128 digits is SHA-512, and a name may be escaped")
    func variants() throws {
        let long = String(repeating: "0", count: 128)
        let list = try ChecksumList("\(long)  f\n\\\(Self.digits)  a\\\\b", name: "SUMS")
        #expect(try list.checksum(of: ["f"]).algorithm == .sha512)
        #expect(try list.checksum(of: ["a\\b"]).hexDigest == Self.digits)
    }

    @Test("The name in the URL comes before the name of the output")
    func names() throws {
        let text = "\(Self.digits)  f\n\(Self.others)  g"
        #expect(try digest(text, "f", "g") == Self.digits)
        #expect(try digest(text, "x", "g") == Self.others)
    }

    @Test("A missing or ambiguous name and an invalid line are errors")
    func faults() {
        let missing = #expect(throws: UsageError.self) { try digest("\(Self.digits)  f", "g") }
        #expect(missing?.description.contains("SUMS has no checksum of 'g'") == true)
        let two = #expect(throws: UsageError.self) { try digest("\(Self.digits)  a/f\n\(Self.others)  b/f", "f") }
        #expect(two?.description.contains("several checksums") == true)
        for text in ["d41d8cd98f00b204e9800998ecf8427e  f", "\(Self.digits)", "SHA256 (f) = 12", "f  \(Self.digits)"] {
            let error = #expect(throws: UsageError.self) { try digest("\n" + text, "f") }
            #expect(error?.description.contains("SUMS:2: not a line") == true)
        }
    }
}
