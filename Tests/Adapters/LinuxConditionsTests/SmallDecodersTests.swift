// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Small decoders")
struct SmallDecodersTests {
    @Test(
        "Known values of Metered are decoded, and other values are unknown",
        arguments: zip(
            [.integer(0), .integer(1), .integer(2), .integer(3), .integer(4), .integer(77), .string("1"), nil]
                as [VariantValue?],
            [.unknown, .yes, .no, .guessYes, .guessNo, .unknown, .unknown, .unknown] as [Metered]))
    func metered(raw: VariantValue?, metered: Metered) {
        var properties: [String: VariantValue] = [:]
        properties["Metered"] = raw
        #expect(NetworkManagerReading(properties: properties).metered == metered)
    }

    @Test("Connectivity counts only with a primary connection")
    func connectivity() {
        func restriction(_ raw: Int64, _ path: String) -> Reachability? {
            NetworkManagerReading(properties: ["Connectivity": .integer(raw), "PrimaryConnection": .string(path)])
                .restriction
        }
        #expect((0...5).map { restriction($0, "/a/1") } == [nil, Reachability.none, .portal, .limited, nil, nil])
        #expect((0...5).allSatisfy { restriction($0, "/") == nil })
    }

    @Test("A kernel event is about power if it names the class, in the form of the kernel or of udev")
    func kernelEvent() {
        let path = "change@/devices/AC\0ACTION=change\0SUBSYSTEM=power_supply\0POWER_SUPPLY_ONLINE=0\0"
        #expect(KernelEvent.isPowerSupply(Array(path.utf8)))
        #expect(KernelEvent.isPowerSupply(Array("libudev\0\u{1}\u{2}\0\0SUBSYSTEM=power_supply\0".utf8)))
        #expect(!KernelEvent.isPowerSupply(Array("add@/x\0SUBSYSTEM=power_supply_class\0".utf8)))
        #expect(!KernelEvent.isPowerSupply(Array("add@/x\0SUBSYSTEM=net\0".utf8)))
        #expect(!KernelEvent.isPowerSupply([]))
    }

    @Test("The path of a bus's socket is found in its address")
    func busAddress() {
        #expect(BusAddress.socketPath(of: "unix:path=/run/dbus/system_bus_socket") == "/run/dbus/system_bus_socket")
        #expect(BusAddress.socketPath(of: "tcp:host=x,port=1;unix:guid=ab,path=/a%20b%2fc") == "/a b/c")
        #expect(BusAddress.socketPath(of: "unix:path=/odd%zz%4") == "/odd%zz%4")
        #expect(BusAddress.socketPath(of: "unix:abstract=/tmp/x") == nil)
        #expect(BusAddress.socketPath(of: "") == nil)
    }

    @Test("Timer intervals are rounded up")
    func timerMilliseconds() {
        #expect(Duration.milliseconds(50).timerMilliseconds == 50)
        #expect(Duration.nanoseconds(1).timerMilliseconds == 1)
        #expect(Duration.seconds(-1).timerMilliseconds == 0)
        #expect(Duration.seconds(1 << 40).timerMilliseconds == .max)
    }
}
