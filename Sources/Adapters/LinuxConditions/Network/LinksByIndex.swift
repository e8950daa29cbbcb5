// SPDX-License-Identifier: Apache-2.0

/// A dictionary of interfaces by index, encoded as a list in the order of the indices.
@propertyWrapper
struct LinksByIndex: Hashable, Sendable, Codable {
    var wrappedValue: [Int32: LinkDescription]

    init(wrappedValue: [Int32: LinkDescription]) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) throws {
        wrappedValue = Dictionary(try [LinkDescription](from: decoder).map { ($0.index, $0) }) { $1 }
    }

    func encode(to encoder: any Encoder) throws {
        try wrappedValue.values.sorted { $0.index < $1.index }.encode(to: encoder)
    }
}
