import Keepsake

/// The attributes of one thing or relation, of which only those that are known are there.
struct PROVAttributes: ProvenanceMembers {
  private var types: [JSON] = []
  var members: [(String, JSON)] = []

  /// As an object; what has several types has them in a list.
  var json: JSON {
    let type = types.count == 1 ? types.first : types.isEmpty ? nil : JSON.array(types)
    return .object((type.map { [("prov:type", $0)] } ?? []) + members)
  }

  /// Says of which type it is, by a name.
  mutating func add(type: String) {
    types.append(["$": .string(type), "type": "prov:QUALIFIED_NAME"])
  }
}
