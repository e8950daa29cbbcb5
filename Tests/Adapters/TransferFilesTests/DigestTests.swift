// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferFiles

/// The vectors are those of RFC 1321 and FIPS 180-4.
@Suite struct DigestTests {
    @Test("Digests of known texts are as published")
    func vectors() {
        #expect(Digest.hex(.md5, of: "") == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(Digest.hex(.md5, of: "abc") == "900150983cd24fb0d6963f7d28e17f72")
        #expect(
            Digest.hex(.sha256, of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            Digest.hex(.sha512, of: "abc")
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    }

    @Test("Reading a digest does not end it, and copies are independent")
    func copies() {
        var first = Digest(.sha256)
        Array("a".utf8).withUnsafeBytes { first.update($0) }
        var second = first
        #expect(first.hexDigest == Digest.hex(.sha256, of: "a"))
        Array("b".utf8).withUnsafeBytes { first.update($0) }
        Array("c".utf8).withUnsafeBytes { second.update($0) }
        #expect(first.hexDigest == Digest.hex(.sha256, of: "ab"))
        #expect(second.hexDigest == Digest.hex(.sha256, of: "ac"))
    }
}
