// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// One line of a recording after the header: both clocks, and one thing that was seen or published.
struct RecordedLine: Codable {
    /// UPower and the supplies.
    struct Power: Codable {
        var upower: Answer<UPowerProperties>
        var supplies: Answer<[PowerSupplyFiles]>
        var afterSettling: Bool?
    }

    /// The kernel's links and routes.
    struct Path: Codable {
        struct Network: Codable, Hashable {
            var links: [LinkDescription]
            var chosen: [Int32]
            var defaultRoutes: [NetworkSnapshot.DefaultRoute]
            var chosenForMarks: [Int32]
        }

        var network: Answer<Network>
        var afterSettling: Bool?
    }

    struct Manager: Codable, Hashable {
        var properties: [String: RecordedVariant]
        var connection: String?
    }

    struct Profile: Codable {
        var service: String
        var properties: Answer<[String: RecordedVariant]>
    }

    struct Lease: Codable {
        var client: String
        var device: String
        /// As text, where it is some; else in hexadecimal digits.
        var text: String?
        var hexadecimal: String?
        var written: Int64?
    }

    /// Nanoseconds on the boot-time clock.
    var boot: Int64
    /// Nanoseconds since 1970 on the wall clock.
    var wall: Int64
    // One of these.
    var power: Power?
    var kernelEvent: [String]?
    var path: Path?
    var networkManager: Answer<Manager>?
    var priceHasHeld: Bool?
    var modemManager: Answer<[RecordedVariant]>?
    var networkPortal: Answer<[RecordedVariant]>?
    var powerProfile: Profile?
    var login: Answer<SleepReading>?
    var leases: [Lease]?
    var overrides: OverridesContent?
    var localTime: RecordedLocalTime?
    var firstIsDue: Bool?
    /// What was told to the program.
    var published: RecordedConditions?

    /// When it was.
    var moment: Moment {
        Moment(instant: Instant(nanoseconds: boot), wall: WallTime(nanosecondsSinceEpoch: wall))
    }

    private init(at now: Moment) {
        boot = now.instant.nanoseconds
        wall = now.wall.nanosecondsSinceEpoch
    }

    /// What was published.
    init(_ conditions: Conditions, at now: Moment) {
        self.init(at: now)
        published = RecordedConditions(conditions)
    }

    /// What was seen.
    init(_ observation: Observation, at now: Moment) {
        self.init(at: now)
        func isLate(_ look: Observation.Look) -> Bool? { look == .afterSettling ? true : nil }
        switch observation {
        case .power(let upower, let supplies, let look):
            power = Power(upower: upower, supplies: supplies, afterSettling: isLate(look))
        case .kernelEvent(let fields): kernelEvent = fields
        case .path(let answer, let look):
            path = Path(network: answer.map(Path.Network.init), afterSettling: isLate(look))
        case .networkManager(let answer):
            networkManager = answer.map {
                Manager(properties: $0.properties.mapValues(RecordedVariant.init), connection: $0.connectionID)
            }
        case .priceHasHeld: priceHasHeld = true
        case .modemManager(let answer): modemManager = answer.map { $0.map(RecordedVariant.init) }
        case .networkPortal(let answer): networkPortal = answer.map { $0.map(RecordedVariant.init) }
        case .powerProfile(let service, let answer):
            powerProfile = Profile(
                service: service.rawValue, properties: answer.map { $0.mapValues(RecordedVariant.init) })
        case .login(let answer): login = answer
        case .leases(let files): leases = files.map(Lease.init)
        case .overrides(let content): overrides = content
        case .localTime(let rules): localTime = RecordedLocalTime(rules)
        case .firstIsDue: firstIsDue = true
        }
    }

    /// What was seen, as it entered the decoders; nil where the line holds none of it, or several at once.
    var observation: Observation? {
        func look(_ isLate: Bool?) -> Observation.Look { isLate == true ? .afterSettling : .first }
        let all: [Observation?] = [
            power.map { .power(upower: $0.upower, supplies: $0.supplies, look($0.afterSettling)) },
            kernelEvent.map { .kernelEvent($0) },
            path.map { .path($0.network.map(\.snapshot), look($0.afterSettling)) },
            networkManager.map { .networkManager($0.map(\.raw)) }, priceHasHeld.map { _ in .priceHasHeld },
            modemManager.map { .modemManager($0.map { $0.map(\.value) }) },
            networkPortal.map { .networkPortal($0.map { $0.map(\.value) }) },
            powerProfile.flatMap { profile in
                PowerProfileReading.Service(rawValue: profile.service).map { service in
                    .powerProfile(service, profile.properties.map { $0.mapValues(\.value) })
                }
            },
            login.map { .login($0) }, leases.map { .leases($0.compactMap(\.file)) },
            overrides.map { .overrides($0) }, localTime.map { .localTime($0.rules) },
            firstIsDue.map { _ in .firstIsDue },
        ]
        let seen = all.compactMap(\.self)
        return seen.count == 1 ? seen.first : nil
    }
}

extension RecordedLine.Path.Network {
    init(_ snapshot: NetworkSnapshot) {
        self.init(
            links: snapshot.links.values.sorted { $0.index < $1.index }, chosen: snapshot.chosen,
            defaultRoutes: snapshot.defaultRoutes, chosenForMarks: snapshot.chosenForMarks)
    }

    var snapshot: NetworkSnapshot {
        NetworkSnapshot(
            links: Dictionary(links.map { ($0.index, $0) }) { $1 }, chosen: chosen, defaultRoutes: defaultRoutes,
            chosenForMarks: chosenForMarks)
    }
}

extension RecordedLine.Manager {
    var raw: NetworkManagerProperties {
        NetworkManagerProperties(properties: properties.mapValues(\.value), connectionID: connection)
    }
}

extension RecordedLine.Lease {
    init(_ file: LeaseFile) {
        client = file.client.rawValue
        device = file.device
        written = file.written
        if file.client != .dhcpcd, let text = String(validating: file.bytes, as: UTF8.self) {
            self.text = text
        } else {
            hexadecimal = file.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    var file: LeaseFile? {
        guard let client = LeaseFile.Client(rawValue: client) else { return nil }
        let bytes = text.map { Array($0.utf8) } ?? DHCPLease.octets((hexadecimal ?? "")[...], separator: nil)
        return LeaseFile(client: client, device: device, bytes: bytes, written: written)
    }
}
