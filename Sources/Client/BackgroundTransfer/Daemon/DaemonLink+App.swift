// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferBusProtocol

/// The program as the daemon identifies and calls it.
extension DaemonLink {
    /// Reports whether the user is working with this program. Before the first session, the value is kept and sent at
    /// its opening.
    func setInFront(_ isInFront: Bool) {
        self.isInFront = isInFront
        try? bus?.call(
            "SetInFront", of: TransferBusName.managerInterface, at: TransferBusName.managerPath,
            service: TransferBusName.service, [.bool(isInFront)], type: "(b)", milliseconds: 10_000
        ) { _ in }
    }

    func serve(
        as name: String, _ handle: @escaping @Sendable (String) -> Void,
        _ completion: @escaping @Sendable (SessionError?) -> Void
    ) {
        withBus { link, result in
            switch result {
            case .success(let bus):
                link.served = (name, handle)
                link.export(name, handle, on: bus, completion)
            case .failure(let error): completion(.unreachable("no session bus: \(error.message)"))
            }
        }
    }

    /// Exports the object and then acquires the name, so that a caller that finds the name also finds the object.
    func export(
        _ name: String, _ handle: @escaping @Sendable (String) -> Void, on bus: BusConnection,
        _ completion: @escaping @Sendable (SessionError?) -> Void
    ) {
        do {
            let object = try bus.export(
                TransferBusName.appInterface, describedBy: AppInterface.xml, at: TransferBusName.appPath(of: name)
            ) { call in
                handle(call.arguments.first?.string ?? "")
                call.reply([])
            }
            nameRegistrations = [
                object,
                bus.own(name) { isOurs in
                    completion(
                        isOurs
                            ? nil
                            : SessionError(
                                code: .unavailable, message: "Another program owns the bus name \(name)."))
                },
            ]
        } catch {
            completion(.unreachable("\(error)"))
        }
    }
}
