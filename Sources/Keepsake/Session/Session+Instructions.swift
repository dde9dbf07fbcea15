import KeepsakeSQLite

/// The instructions that a saved list begins with. They say what the model was told, and are no part of what was said
/// since: a list with other ones goes on with the same conversation.
///
/// They are looked for among those of their lane. What says the same is stored. What says something else becomes a
/// revision of them. A lane that has none, or a fork that shares them with its parent, gets an entry of its own, which
/// stands before what is new. What was erased stays erased.
struct LeadingInstructions {
  enum Place: Equatable {
    /// It is stored there, and may say something else there.
    case stored(Int)
    /// It is stored there for all lanes, and stays as it is.
    case shared(Int)
    case new
  }

  /// Of each that the list begins with.
  let places: [Place]

  /// - Parameters:
  ///   - list: What the list begins with.
  ///   - stored: The session's instructions, in order.
  ///   - isOwn: Whether the entry at a position can be revised in this session.
  init(_ list: ArraySlice<Entry>, in stored: [Entry], isOwn: (Int) -> Bool) {
    var waiting = stored.filter { $0.status == .complete && $0.position != nil }
    var places = list.map { entry -> Place? in
      Self.equal(entry, in: &waiting)
    }
    for (index, entry) in zip(places.indices, list) where places[index] == nil {
      places[index] = Self.revisable(entry, in: &waiting, isOwn: isOwn)
    }
    self.places = places.map { $0 ?? .new }
  }

  /// One that says the same, for this lane or for all of them.
  private static func equal(_ entry: Entry, in waiting: inout [Entry]) -> Place? {
    func says(_ stored: Entry, in lane: String?) -> Bool {
      guard stored.lane.isSameText(as: lane) else { return false }
      var same = entry
      same.lane = stored.lane
      return stored.hasSameContent(as: same)
    }
    for lane in [entry.lane, nil] {
      guard let found = waiting.firstIndex(where: { says($0, in: lane) }),
        let position = waiting.remove(at: found).position
      else { continue }
      return lane == entry.lane ? .stored(position) : .shared(position)
    }
    return nil
  }

  /// One of this lane that it takes the place of: the one with its key, else the first.
  private static func revisable(
    _ entry: Entry, in waiting: inout [Entry], isOwn: (Int) -> Bool
  ) -> Place? {
    let candidates = waiting.indices.filter { index in
      waiting[index].lane.isSameText(as: entry.lane)
        && (waiting[index].isErased || (waiting[index].position.map(isOwn) ?? false))
    }
    let known = entry.key.flatMap { key in
      candidates.first { waiting[$0].key?.isSameText(as: key) ?? false }
    }
    guard let found = known ?? candidates.first else { return nil }
    return waiting.remove(at: found).position.map { .stored($0) }
  }
}

extension Session {
  /// Where the instructions that a list begins with are stored.
  func places(
    of list: ArraySlice<Entry>, among positions: [Int], in db: Connection
  ) throws -> [LeadingInstructions.Place] {
    if list.isEmpty { return [] }
    let reader = EntryReader(self, in: db)
    let stored = try positions.map { try reader.entries($0..<($0 + 1))[0] }
    return LeadingInstructions(list, in: stored) {
      lineage.owner(of: $0).session == number
    }.places
  }
}
