import Keepsake

/// One thing of a crate's graph, with those of its properties that are known.
struct ROCrateNode: ProvenanceMembers {
  var members: [(String, JSON)]

  var json: JSON { .object(members) }

  init(_ id: String, _ type: String) {
    members = [("@id", .string(id)), ("@type", .string(type))]
  }

  /// Names another thing.
  mutating func add(_ name: String, to id: String?) {
    if let id { members.append((name, ["@id": .string(id)])) }
  }

  /// Names other things, each once.
  mutating func add(_ name: String, to ids: [String]) {
    var known: Set<String> = []
    let others = ids.filter { known.insert($0).inserted }
    if others.isEmpty { return }
    members.append((name, .array(others.map { ["@id": .string($0)] })))
  }

  /// Says how sure links are: a crate has no properties of links, so each is named with its basis.
  mutating func add(_ name: String, bases: [(Entry.Attachment.Basis, id: String)]) {
    if bases.isEmpty { return }
    members.append((name, .array(bases.map { .string("\($0.0.rawValue) \($0.id)") })))
  }
}
