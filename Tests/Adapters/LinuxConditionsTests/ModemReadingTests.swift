// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("ModemManager's objects and the portal's status")
struct ModemReadingTests {
    private func object(_ state: VariantValue?, ports: VariantValue? = nil) -> VariantValue {
        var modem: [String: VariantValue] = ["Manufacturer": .string("Somebody")]
        modem["Ports"] = ports
        var gsm: [String: VariantValue] = [:]
        gsm["RegistrationState"] = state
        return .dictionary([
            "org.freedesktop.ModemManager1.Modem": .dictionary(modem),
            "org.freedesktop.ModemManager1.Modem.Modem3gpp": .dictionary(gsm),
        ])
    }

    private func modems(_ objects: VariantValue...) -> [ModemReading] {
        let paths = objects.indices.map { "/org/freedesktop/ModemManager1/Modem/\($0)" }
        return ModemReading.modems(inReply: [.dictionary(Dictionary(uniqueKeysWithValues: zip(paths, objects)))])
    }

    @Test("Home and roaming registration, including variants for text messages only and without fallback")
    func states() {
        let words = (0...12).map { modems(object(.integer($0))).first?.roaming }
        #expect(
            words == [
                .unknown, .no, .unknown, .unknown, .unknown, .yes, .no, .yes, .unknown, .no, .yes, .unknown, .unknown,
            ])
        #expect(modems(object(nil), object(.string("5"))).map(\.roaming) == [.unknown, .unknown])
    }

    @Test("CDMA has separate states")
    func cdma() {
        func roaming(_ state: Int64) -> Roaming {
            ModemReading(modem: [:], gsm: nil, cdma: ["Cdma1xRegistrationState": .integer(state)]).roaming
        }
        #expect((0...4).map(roaming) == [.unknown, .unknown, .no, .yes, .unknown])
    }

    @Test("The network interfaces are the ports of type net")
    func ports() {
        let ports = VariantValue.list([
            .list([.string("cdc-wdm0"), .integer(6)]), .list([.string("wwan0"), .integer(2)]),
            .list([.string("odd")]), .string("odder"),
        ])
        #expect(modems(object(.integer(1), ports: ports)).first?.interfaces == ["wwan0"])
    }

    @Test("Other objects and invalid replies contain no modem")
    func odd() {
        #expect(modems(.dictionary([:]), .string("x")) == [])
        #expect(ModemReading.modems(inReply: []) == [])
        #expect(ModemReading.modems(inReply: [.string("x")]) == [])
    }

    @Test("The portal's status, including invalid and missing values")
    func portal() {
        func reading(_ status: [String: VariantValue]) -> PortalReading { .init(inReply: [.dictionary(status)]) }
        let words = (0...5).map { reading(["available": .bool(true), "connectivity": .integer($0)]).reachability }
        #expect(words == [nil, .limited, .limited, .portal, .full, nil])
        #expect(
            reading(["available": .bool(false), "connectivity": .integer(4)]).reachability
                == Optional(Reachability.none))
        #expect(reading(["metered": .bool(true)]).metered == .guessYes)
        #expect(reading(["metered": .bool(false)]).metered == .guessNo)
        #expect(reading(["metered": .integer(1)]).metered == .unknown)
        #expect(PortalReading(inReply: []).metered == .unknown)
        #expect(PortalReading(inReply: [.bool(true)]).reachability == nil)
    }

    @Test("The session bus address comes from the environment; no bus is started")
    func sessionBus() {
        func address(_ environment: [String: String]) -> String? {
            BusConnection.sessionBusAddress { environment[$0] }
        }
        #expect(address(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/a", "XDG_RUNTIME_DIR": "/b"]) == "unix:path=/a")
        #expect(address(["XDG_RUNTIME_DIR": "/run/user/7"]) == "unix:path=/run/user/7/bus")
        #expect(address(["XDG_RUNTIME_DIR": "/odd,place"]).flatMap(BusAddress.socketPath) == "/odd,place/bus")
        #expect(address(["XDG_RUNTIME_DIR": "relative"]) == nil)
        #expect(address([:]) == nil)
    }
}
