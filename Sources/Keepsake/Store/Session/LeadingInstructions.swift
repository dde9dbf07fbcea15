/// The instructions at the beginning of a saved list, compared with the stored instructions of their lane.
///
/// Instructions tell the model how to behave, and are not part of the conversation itself. So a list with other
/// instructions continues the same conversation. Instructions that are equal to stored ones are stored already. Other
/// instructions become a revision of the stored ones. If the lane has none, or if a fork shares them with its parent,
/// they become an entry of their own before the new entries. Erased instructions stay erased.
struct LeadingInstructions {
  enum Place: Equatable {
    /// The instructions are stored at this position, perhaps with other content.
    case stored(Int)
    /// The instructions are stored at this position for all lanes, and stay unchanged.
    case shared(Int)
    case new
  }

  /// The place of each of the list's instructions.
  let places: [Place]

  /// Compares instructions with the stored ones.
  /// - Parameters:
  ///   - list: The instructions at the beginning of the list.
  ///   - stored: The session's instructions, in order.
  ///   - isOwn: Tells whether this session can revise the entry at a position.
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

  /// Finds stored instructions with equal content, for this lane or for all lanes.
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

  /// Finds stored instructions of this lane to be replaced: those with the same key, or else the first.
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
