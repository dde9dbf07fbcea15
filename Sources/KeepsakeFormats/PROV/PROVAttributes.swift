#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The attributes of one thing or relation, of which only those that are known are there.
struct PROVAttributes {
  private var types: [JSON] = []
  private var members: [(String, JSON)] = []

  /// As an object; what has several types has them in a list.
  var json: JSON {
    let type = types.count == 1 ? types.first : types.isEmpty ? nil : JSON.array(types)
    return .object((type.map { [("prov:type", $0)] } ?? []) + members)
  }

  mutating func add(_ name: String, _ text: String?) {
    if let text { members.append((name, .string(text))) }
  }

  mutating func add(_ name: String, _ number: Int?) {
    if let number { members.append((name, .number(Int64(number)))) }
  }

  mutating func add(_ name: String, _ time: Date?) {
    if let time { members.append((name, .string(RFC3339.text(time.microseconds)))) }
  }

  /// Says of which type it is, by a name.
  mutating func add(type: String) {
    types.append(["$": .string(type), "type": "prov:QUALIFIED_NAME"])
  }

  /// Adds what only a store knows.
  mutating func add(_ facts: [(name: String, value: JSON?)]) {
    for (name, value) in facts {
      if let value { members.append(("keepsake:\(name)", value)) }
    }
  }
}
