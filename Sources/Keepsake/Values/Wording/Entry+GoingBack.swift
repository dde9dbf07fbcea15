extension Entry {
  /// The words for an event that goes back, such as `goes on after entry 3`; nil for any other entry.
  package var continuation: String? {
    continuesAfter.map { $0 < 0 ? "goes on from the beginning" : "goes on after entry \($0)" }
  }
}
