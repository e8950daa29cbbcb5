// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Follows all properties of one object of a service.
typealias PropertiesReader = ServiceReader<[String: VariantValue]>

/// Which object of which service.
struct PropertiesSubject {
    var service: String
    var path: String
    var interface: String
    /// Whether the bus is to start the service.
    var startsService = false
}

extension ServiceReader where Value == [String: VariantValue] {
    /// A service that has no such object counts as absent: should it come later, a change tells.
    convenience init(
        _ subject: PropertiesSubject, on executor: GLibExecutor, timeLimit: Duration,
        deliver: @escaping (Answer<Value>) -> Void
    ) {
        let changed = Hint(
            interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged", path: subject.path,
            firstArgument: subject.interface)
        self.init(
            on: executor, name: subject.service, startsService: subject.startsService, timeLimit: timeLimit,
            hints: [changed],
            read: { bus, cancellation, done in
                bus.properties(
                    of: subject.interface, at: subject.path, service: subject.service, cancellation: cancellation
                ) { result in
                    switch result {
                    case .success(let properties): done(.value(properties))
                    case .failure: done(.absent)
                    }
                }
            }, deliver: deliver)
    }
}
