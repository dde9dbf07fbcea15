/// A turn that was opened and not closed.
struct OpenTurn {
  let number: Int
  /// The lane that the turn belongs to; nil for a turn of all lanes.
  let lane: String?
}
