extension Session {
  /// Returns the places of the instructions at the beginning of a list.
  func places(
    of list: ArraySlice<Entry>, among positions: [Int], in db: Tables
  ) throws -> [LeadingInstructions.Place] {
    if list.isEmpty { return [] }
    let reader = EntryReader(self, in: db)
    let stored = try positions.map { try reader.entries($0..<($0 + 1))[0] }
    return LeadingInstructions(list, in: stored) {
      lineage.owner(of: $0).session == number
    }.places
  }
}
