/// Makes the sentences that give the reason for the basis of an attachment's maker.
enum BasisReason {
  static func sentence(for row: AttachmentRow, invocation: Invocation?) -> String {
    switch row.maker {
    case .toolCall: toolCall(row, invocation)
    case .step:
      invocation == nil
        ? "The app recorded it as made by its own step."
        : "The app recorded it while its own step ran."
    case .response:
      row.basis == .recorded || row.basis == .position
        ? "It stands in a response of the transcript that it came in."
        : "The app attached it as made by the model's response."
    case .user:
      row.basis == .recorded || row.basis == .position
        ? "It stands in a prompt of the transcript that it came in."
        : "The app attached it as given by the user."
    case .source: "It came with a foreign source that does not say who made it."
    }
  }

  private static func toolCall(_ row: AttachmentRow, _ invocation: Invocation?) -> String {
    let isKnown = row.callEntry != nil
    switch row.basis {
    case .explicit where invocation == nil:
      return isKnown
        ? "The app attached it as made by this call."
        : "The app attached it as made by a call with this id, which is not among the session's entries."
    case .explicit:
      return "It was recorded while the tool ran, and the app said which call asked for the run."
    case .enclosing:
      return isKnown
        ? "It was recorded while the tool ran for this call."
        : "It was recorded while the tool ran; which call asked for the run is not known."
    case .inferred:
      return invocation == nil
        ? "It follows from equal content that this call made it."
        : "It was recorded while the tool ran, and of the turn's calls only this one has the run's output or arguments."
    case .recorded:
      return isKnown
        ? "The transcript that it came in says that this call made it."
        : "The transcript that it came in names a call with this id, which is not among the session's entries."
    case .position:
      return
        "The transcript that it came in does not say which call made it; it follows from its place there."
    case .path:
      return "This call names the file's path, and the file last changed while the call ran."
    case .unknown:
      return "Nobody said which call made it."
    }
  }
}
