// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TransferFiles

struct LocalHostTests {
    @Test(
        "Addresses of this machine and its network are local in every form",
        arguments: [
            "127.0.0.1", "127.8.9.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0X7F.1", "017700000001",
            "0177.0.0.1",
            "0x7f.0.0x0.1", "0", "0.0.0.0", "127.0.0.1.", "%31%32%37.0.0.1", "\u{FF11}27.0.0.1",
            "127\u{3002}0\u{FF0E}0.1",
            "\u{2460}\u{2461}\u{2466}.0.0.1", "10.0.0.1", "10.255.255.255", "012.1", "172.16.0.1", "172.31.255.255",
            "192.168.1.1", "0xC0A80101", "3232235777", "169.254.169.254", "100.64.0.1", "100.127.255.255", "198.18.0.1",
            "192.0.0.1", "224.0.0.251", "255.255.255.255", "[::1]", "::1", "[::]", "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::FFFF:7f00:1]", "[::ffff:10.1.2.3]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]",
            "[2002:7f00:1::]", "[2002:c0a8:101::1]", "[fe80::1]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[febf::1]",
            "[fec0::1]", "[fc00::1]", "[fdff::1]", "[ff02::fb]", "[nonsense]",
        ])
    func local(host: String) {
        #expect(LocalHost.contains(host))
    }

    @Test(
        "Names for local use are local",
        arguments: [
            "localhost", "LOCALHOST", "localhost.", "a.localhost", "\u{FF4C}ocalhost", "router", "nas.local",
            "db.internal",
            "x.home.arpa", "openwrt.lan", "localhost.localdomain",
        ])
    func names(host: String) {
        #expect(LocalHost.contains(host))
    }

    @Test(
        "Other addresses and names are public",
        arguments: [
            "203.0.113.5", "8.8.8.8", "1.1", "0x08080808", "9.255.255.255", "11.0.0.1", "172.15.0.1", "172.32.0.1",
            "192.167.1.1", "192.169.1.1", "169.253.1.1", "100.63.0.1", "100.128.0.1", "198.20.0.1", "223.255.255.255",
            "[2001:db8::1]", "[2606:4700::1]", "[::ffff:8.8.8.8]", "[64:ff9b::808:808]", "[2002:808:808::1]",
            "[fb00::1]",
            "[fe00::1]", "example.org", "localhost.example.org", "127.0.0.1.example.org", "local.example",
            "xn--bcher-kva.example",
            "b\u{FC}cher.example",
        ])
    func publicHosts(host: String) {
        #expect(!LocalHost.contains(host))
    }

    @Test("A name is local if any of its addresses is")
    func resolution() {
        for host in ["localhost", "127.0.0.1", "[::1]", "0x7f.1"] { #expect(LocalHost.resolves(host), "\(host)") }
        for host in ["203.0.113.5", "[2001:db8::1]", "nowhere.invalid", ""] {
            #expect(!LocalHost.resolves(host), "\(host)")
        }
    }
}
