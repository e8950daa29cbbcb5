// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("What the network costs, folded from all that speak of it")
struct CostReadingsTests {
    private static let ethernet = NetworkPath(interface: "eth0", kind: .ethernet, index: 2)

    private func readings(
        metered: Metered? = nil, path: NetworkPath? = ethernet, lease: Bool = false, portal: Metered? = nil,
        connection: String? = nil, overrides: [String: ConnectionOverrides.Word] = [:]
    ) -> Readings {
        var readings = Readings()
        readings.metered = metered
        readings.path = .value(path)
        readings.doesLeaseSayMetered = lease
        if let portal {
            readings.portal = .value(
                PortalReading(inReply: [.dictionary(["metered": .bool(portal == .guessYes)])]))
        }
        var manager = NetworkManagerReading(properties: ["PrimaryConnection": .string("/1")])
        manager.connectionID = connection
        readings.networkManager = connection == nil ? .absent : .value(manager)
        readings.overrides.words = overrides
        return readings
    }

    private func price(_ readings: Readings, over kind: LinkKind = .ethernet) -> String {
        let (price, disagreements) = readings.price(over: kind)
        let mark = disagreements.isEmpty ? "" : "!"
        return "\(price.value) \(price.source) \(price.sureness)\(mark)"
    }

    @Test("NetworkManager's word counts; without it the kind of link decides")
    func word() {
        #expect(price(readings(metered: .yes)) == "yes networkManager reported")
        #expect(price(readings(metered: .no), over: .cellular) == "no networkManager reported")
        #expect(price(readings(metered: .guessYes)) == "guessYes networkManager guessed")
        #expect(price(readings(metered: .guessNo)) == "guessNo networkManager guessed")
        for kind in [LinkKind.cellular, .bluetooth, .usbTether] {
            #expect(price(readings(), over: kind) == "guessYes rule guessed")
            #expect(price(readings(metered: .unknown), over: kind) == "guessYes rule guessed")
        }
        for kind in [LinkKind.ethernet, .wifi, .other, .unknown] {
            #expect(price(readings(metered: .unknown), over: kind) == "unknown rule assumed")
        }
    }

    @Test("A guess that bytes are free does not stand against a kind of link that costs; a dock's does")
    func dearerKind() {
        #expect(price(readings(metered: .guessNo), over: .cellular) == "guessYes rule guessed!")
        #expect(price(readings(metered: .guessNo), over: .usbTether) == "guessNo networkManager guessed")
        let tunnel = NetworkPath(interface: "wg0", kind: .usbTether, isTunnel: true)
        #expect(price(readings(metered: .guessNo, path: tunnel), over: .usbTether) == "guessYes rule guessed!")
    }

    @Test("A lease's word counts against guesses, not against what is known")
    func lease() {
        #expect(price(readings(lease: true)) == "guessYes dhcp guessed")
        #expect(price(readings(metered: .guessNo, lease: true)) == "guessYes dhcp guessed!")
        #expect(price(readings(metered: .no, lease: true)) == "no networkManager reported")
    }

    @Test("The portal counts where NetworkManager says nothing; its 'free' may mean that nobody knows")
    func portal() {
        #expect(price(readings(portal: .guessYes)) == "guessYes portal guessed")
        #expect(price(readings(portal: .guessNo)) == "guessNo portal guessed")
        #expect(price(readings(metered: .no, portal: .guessYes)) == "no networkManager reported")
        #expect(price(readings(portal: .guessNo), over: .usbTether) == "guessYes rule guessed!")
    }

    @Test("A person's word wins: by the connection's name, by an interface only where connections have no names")
    func override() {
        let words: [String: ConnectionOverrides.Word] = ["Home": .no, "eth0": .yes]
        #expect(price(readings(metered: .yes, connection: "Home", overrides: words)) == "no override reported")
        #expect(price(readings(metered: .no, connection: "Other", overrides: words)) == "no networkManager reported")
        #expect(price(readings(metered: .no, overrides: words)) == "yes override reported")
        let tunnel = NetworkPath(interface: "wg0", kind: .ethernet, below: [.init(name: "eth0", index: 2)])
        #expect(price(readings(path: tunnel, overrides: words)) == "yes override reported")
        #expect(price(readings(path: nil, overrides: words)) == "unknown rule assumed")
    }

    @Test("Only a cellular link roams, as its own modem says, or any modem where none is known to drive it")
    func roaming() {
        func roaming(_ kind: LinkKind, _ modems: (Roaming, String)..., over device: String = "wwan0") -> String {
            var readings = readings(path: NetworkPath(interface: device, kind: kind))
            readings.modems = .value(
                modems.map { word, name in
                    var modem = ModemReading(modem: [:], gsm: nil, cdma: nil)
                    (modem.roaming, modem.interfaces) = (word, [name])
                    return modem
                })
            let finding = readings.roaming(over: .init(value: kind, source: .kernel, sureness: .reported))
            return "\(finding.value) \(finding.source)"
        }
        #expect(roaming(.cellular) == "unknown none")
        #expect(roaming(.cellular, (.yes, "wwan0")) == "yes modemManager")
        #expect(roaming(.cellular, (.yes, "wwan1"), (.no, "wwan0")) == "no modemManager")
        #expect(roaming(.cellular, (.no, "wwan1"), (.yes, "wwan2")) == "yes modemManager")
        #expect(roaming(.cellular, (.no, "wwan1"), (.unknown, "wwan2")) == "unknown modemManager")
        #expect(roaming(.ethernet, (.yes, "wwan0")) == "no kernel")
        #expect(roaming(.wifi) == "no kernel")
        #expect(roaming(.usbTether) == "unknown none")
        #expect(roaming(.unknown, (.yes, "wwan0")) == "unknown none")
    }

    @Test("NetworkManager names the kind where the kernel cannot, and there is a path")
    func kindByManager() {
        func kind(_ kernel: Answer<NetworkPath?>, type: String) -> String {
            var readings = Readings()
            readings.path = kernel
            readings.networkManager = .value(
                .init(properties: ["PrimaryConnection": .string("/1"), "PrimaryConnectionType": .string(type)]))
            return "\(readings.linkKind.value) \(readings.linkKind.source)"
        }
        let ppp = Answer<NetworkPath?>.value(NetworkPath(interface: "ppp0", kind: .unknown, isKindGuessed: true))
        #expect(kind(ppp, type: "pppoe") == "ethernet networkManager")
        #expect(kind(ppp, type: "gsm") == "cellular networkManager")
        #expect(kind(ppp, type: "wireguard") == "unknown kernel")
        #expect(kind(.absent, type: "802-11-wireless") == "wifi networkManager")
        #expect(kind(.value(nil), type: "gsm") == "unknown kernel")
        #expect(kind(.value(Self.ethernet), type: "bluetooth") == "ethernet kernel")
    }
}
