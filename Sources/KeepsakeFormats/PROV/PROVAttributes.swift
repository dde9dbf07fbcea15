import Keepsake

/// The attributes of one thing or relation in a PROV document; attributes without a known value are absent.
struct PROVAttributes: ProvenanceMembers {
  private var types: [JSON] = []
  var members: [(String, JSON)] = []

  /// The attributes as an object. Several types are written as a list.
  var json: JSON {
    let type = types.count == 1 ? types.first : types.isEmpty ? nil : JSON.array(types)
    return .object((type.map { [("prov:type", $0)] } ?? []) + members)
  }

  /// Adds a type by its qualified name.
  mutating func add(type: String) {
    types.append(["$": .string(type), "type": "prov:QUALIFIED_NAME"])
  }
}
