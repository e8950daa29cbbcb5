// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A reader of all properties of one object of a service.
typealias PropertiesReader = ServiceReader<[String: VariantValue]>

/// The object and the interface whose properties are read.
struct PropertiesSubject {
    var service: String
    var path: String
    var interface: String
    /// Whether the bus starts the service if it is not running.
    var startsService = false
}

extension ServiceReader where Value == [String: VariantValue] {
    /// Creates a reader of an object's properties. A service without the object counts as absent; if the object
    /// appears later, a change signal leads to another read.
    convenience init(
        _ subject: PropertiesSubject, on executor: GLibExecutor, timeLimit: Duration,
        deliver: @escaping (Availability<Value>) -> Void
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
