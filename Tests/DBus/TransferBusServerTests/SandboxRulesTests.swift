// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferSessions

@testable import TransferBusProtocol
@testable import TransferBusServer

@Suite("C3: restrictions on the sessions of sandboxed programs")
struct SandboxRulesTests {
    private func refusal(
        _ kind: BusCaller.Sandbox = .flatpak, container: String? = nil,
        _ change: (inout OpeningOptions) -> Void = { _ in }
    ) -> BusFault? {
        var settings = SessionSettings(identifier: "s")
        settings.sharedContainerIdentifier = container
        var options = OpeningOptions()
        change(&options)
        let caller = BusCaller(name: ":1", app: "org.example.App", kind: .sandboxed(kind))
        do throws(BusFault) {
            try SandboxRules.check(settings, options, of: caller)
            return nil
        } catch { return error }
    }

    @Test("A launch command and a bus name are refused")
    func starting() {
        #expect(refusal() == nil)
        for registration in [AppRegistration.command(["/bin/sh"]), .busName("org.example.App")] {
            let fault = refusal { $0.registration = registration }
            #expect(fault?.code == .accessDenied)
            #expect(fault?.message.contains("org.example.App") == true)
        }
    }

    @Test("Container names must derive from the app's id, and an opaque sandbox has none")
    func containers() {
        for own in ["org.example.App", "org.example.App.Shared", "group.org.example.App", "group.org.example.App.x"] {
            #expect(refusal(container: own) == nil)
            #expect(refusal { $0.containers = [own] } == nil)
            #expect(refusal(.opaque, container: own) != nil)
        }
        for foreign in ["group.org.example", "org.example.Apple", "group.org.victim", "x"] {
            #expect(refusal(container: foreign)?.code == .accessDenied)
            #expect(refusal { $0.containers = ["org.example.App", foreign] }?.code == .accessDenied)
        }
    }
}
