#if canImport(FoundationModels)
  import Keepsake

  /// A turn that was opened, and its prompt stored, before the model is asked.
  struct RecordedTurn: Sendable {
    let turn: Turn
    let prompt: Entry
    /// The id of the last prompt that the transcript had before it.
    let lastPrompt: String?
  }
#endif
