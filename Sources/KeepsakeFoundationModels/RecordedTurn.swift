#if canImport(FoundationModels)
  import Keepsake

  /// A turn that was opened, with its prompt stored, before the model is asked.
  struct RecordedTurn: Sendable {
    /// The session in which the turn was opened. The keeper may have moved on to a fork since.
    let session: Session
    let turn: Turn
    let prompt: Entry
    /// The id of the last prompt in the transcript before the turn; nil where there was none.
    let lastPrompt: String?
    /// The model session's usage before the turn; nil where it is not known.
    let usage: TokenUsage?

    /// The index of this turn's first entry in a transcript; nil where the model was not asked.
    func beginning(in list: [SourceEntry]) -> Int? {
      guard let lastPrompt else { return list.firstIndex { $0.entry.kind == .prompt } }
      guard let before = list.lastIndex(where: { $0.entry.key == lastPrompt }) else {
        // The last prompt is missing because the framework trimmed the transcript.
        return list.lastIndex { $0.entry.kind == .prompt }
      }
      return list[(before + 1)...].firstIndex { $0.entry.kind == .prompt }
    }
  }
#endif
