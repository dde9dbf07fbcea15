#if canImport(FoundationModels)
  import Keepsake

  /// A turn that was opened, and its prompt stored, before the model is asked.
  struct RecordedTurn: Sendable {
    /// Where it was opened: where the keeper is now may be a fork.
    let session: Session
    let turn: Turn
    let prompt: Entry
    /// The id of the last prompt that the transcript had before it.
    let lastPrompt: String?
    /// What the model session had taken before it, where that is known.
    let usage: TokenUsage?

    /// Where this turn begins in a transcript; nil where the model was not asked.
    func beginning(in list: [SourceEntry]) -> Int? {
      guard let lastPrompt else { return list.firstIndex { $0.entry.kind == .prompt } }
      guard let before = list.lastIndex(where: { $0.entry.key == lastPrompt }) else {
        // A framework that trims dropped it.
        return list.lastIndex { $0.entry.kind == .prompt }
      }
      return list[(before + 1)...].firstIndex { $0.entry.kind == .prompt }
    }
  }
#endif
