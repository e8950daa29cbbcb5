// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("The metered state, merged from all sources")
struct CostReadingsTests {
    private static let ethernet = NetworkPath(interface: "eth0", kind: .ethernet, index: 2)

    private func readings(
        metered: Metered? = nil, path: NetworkPath? = ethernet, lease: Bool = false, portal: Metered? = nil,
        connection: String? = nil, overrides: [String: ConnectionOverrides.Setting] = [:]
    ) -> Readings {
        var readings = Readings()
        readings.metered = metered
        readings.path = .value(path)
        readings.isLeaseMetered = lease
        if let portal {
            readings.portal = .value(
                PortalReading(inReply: [.dictionary(["metered": .bool(portal == .guessYes)])]))
        }
        var manager = NetworkManagerReading(properties: ["PrimaryConnection": .string("/1")])
        manager.connectionID = connection
        readings.networkManager = connection == nil ? .absent : .value(manager)
        readings.overrides.settings = overrides
        return readings
    }

    private func price(_ readings: Readings, over kind: LinkKind = .ethernet) -> String {
        let (price, disagreements) = readings.price(over: kind)
        let mark = disagreements.isEmpty ? "" : "!"
        return "\(price.value) \(price.source) \(price.confidence)\(mark)"
    }

    @Test("NetworkManager's value counts; without it, the kind of link decides")
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

    @Test("A kind of link that is usually metered overrides a guess of unmetered, except for docks")
    func costlierKind() {
        #expect(price(readings(metered: .guessNo), over: .cellular) == "guessYes rule guessed!")
        #expect(price(readings(metered: .guessNo), over: .usbTether) == "guessNo networkManager guessed")
        let tunnel = NetworkPath(interface: "wg0", kind: .usbTether, isTunnel: true)
        #expect(price(readings(metered: .guessNo, path: tunnel), over: .usbTether) == "guessYes rule guessed!")
    }

    @Test("A lease overrides guesses, but not reported values")
    func lease() {
        #expect(price(readings(lease: true)) == "guessYes dhcp guessed")
        #expect(price(readings(metered: .guessNo, lease: true)) == "guessYes dhcp guessed!")
        #expect(price(readings(metered: .no, lease: true)) == "no networkManager reported")
    }

    @Test("The portal counts if NetworkManager has no value; its \"not metered\" is only a guess")
    func portal() {
        #expect(price(readings(portal: .guessYes)) == "guessYes portal guessed")
        #expect(price(readings(portal: .guessNo)) == "guessNo portal guessed")
        #expect(price(readings(metered: .no, portal: .guessYes)) == "no networkManager reported")
        #expect(price(readings(portal: .guessNo), over: .usbTether) == "guessYes rule guessed!")
    }

    @Test("The user's override wins: by connection name, or by interface if connections have no names")
    func override() {
        let settings: [String: ConnectionOverrides.Setting] = ["Home": .no, "eth0": .yes]
        #expect(price(readings(metered: .yes, connection: "Home", overrides: settings)) == "no override reported")
        #expect(price(readings(metered: .no, connection: "Other", overrides: settings)) == "no networkManager reported")
        #expect(price(readings(metered: .no, overrides: settings)) == "yes override reported")
        let tunnel = NetworkPath(interface: "wg0", kind: .ethernet, below: [.init(name: "eth0", index: 2)])
        #expect(price(readings(path: tunnel, overrides: settings)) == "yes override reported")
        #expect(price(readings(path: nil, overrides: settings)) == "unknown rule assumed")
    }

    @Test("Only cellular links roam, according to their own modem, or to any modem if theirs is unknown")
    func roaming() {
        func roaming(_ kind: LinkKind, _ modems: (Roaming, String)..., over device: String = "wwan0") -> String {
            var readings = readings(path: NetworkPath(interface: device, kind: kind))
            readings.modems = .value(
                modems.map { word, name in
                    var modem = ModemReading(modem: [:], gsm: nil, cdma: nil)
                    (modem.roaming, modem.interfaces) = (word, [name])
                    return modem
                })
            let observed = readings.roaming(over: .init(value: kind, source: .kernel, confidence: .reported))
            return "\(observed.value) \(observed.source)"
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

    @Test("NetworkManager determines the kind of link if the kernel cannot and a path exists")
    func kindByManager() {
        func kind(_ kernel: Availability<NetworkPath?>, type: String) -> String {
            var readings = Readings()
            readings.path = kernel
            readings.networkManager = .value(
                .init(properties: ["PrimaryConnection": .string("/1"), "PrimaryConnectionType": .string(type)]))
            return "\(readings.linkKind.value) \(readings.linkKind.source)"
        }
        let ppp = Availability<NetworkPath?>.value(NetworkPath(interface: "ppp0", kind: .unknown, isKindGuessed: true))
        #expect(kind(ppp, type: "pppoe") == "ethernet networkManager")
        #expect(kind(ppp, type: "gsm") == "cellular networkManager")
        #expect(kind(ppp, type: "wireguard") == "unknown kernel")
        #expect(kind(.absent, type: "802-11-wireless") == "wifi networkManager")
        #expect(kind(.value(nil), type: "gsm") == "unknown kernel")
        #expect(kind(.value(Self.ethernet), type: "bluetooth") == "ethernet kernel")
    }
}
