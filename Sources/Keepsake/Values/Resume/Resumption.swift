#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The entries of a session that go to a model, with notes on what was left out, replaced and repaired.
///
/// Stored entries do not change. A recorded entry keeps its position, and an inserted entry has none. Each entry of the session
/// is either here, or in the notes as left out.
public struct Resumption: Sendable {
  /// The entries that go to the model, in order.
  public let entries: [Entry]
  /// The notes, in the order of positions; notes about no entry come first.
  public let notes: [Note]
  /// The tokens of the entries, by the counter of the budget; nil without a budget.
  public let tokens: Int?

  /// A note about something that was done, or only noticed.
  public struct Note: Sendable, Hashable {
    /// The position of the entry that the note is about; nil for the list as a whole.
    public let position: Int?
    /// The kind of treatment.
    public let action: Action
    /// The reason for the treatment.
    public let reason: Reason
  }

  /// The kinds of treatment of an entry.
  public enum Action: String, Sendable, Hashable, Codable, CaseIterable {
    /// The entry does not go out.
    case leftOut
    /// The entry goes out with other content in place of its own.
    case replaced
    /// Something that the list lacked was inserted or moved.
    case repaired
    /// Something was noticed, and nothing was done about it.
    case noticed
  }

  /// The reasons for the treatment of an entry.
  public enum Reason: Sendable, Hashable {
    /// The entry is for the person and for no model.
    case hidden
    /// The entry is an event, which happened beside the conversation.
    case event
    /// The conversation went back to before the entry.
    case takenBack
    /// The entry belongs to another lane.
    case lane(String)
    /// The entry was not completed, or another attempt took its place.
    case status(Entry.Status)
    /// The entry's turn ended without a response.
    case turn(Turn.Outcome)
    /// The entry's content was erased.
    case erased
    /// The entry did not fit the budget; whole turns are dropped, the oldest first.
    case overBudget
    /// The entry did not fit the budget, and a summary stands for its turn.
    case condensed
    /// The output's call was left out.
    case withItsCall
    /// The output answers no call of the list.
    case outputWithoutCall
    /// No output answers the call with this id.
    case callWithoutOutput(String)
    /// Another turn begins, and nothing answered the prompt.
    case promptWithoutAnswer
    /// The list does not begin with instructions.
    case noInstructions
    /// The turn with this number was opened and never closed.
    case openTurn(Int)
    /// A crash interrupted the draft with this id, which did not become an entry.
    case interruptedDraft(UUID)
    /// A placeholder stands for the image with this label.
    case image(String)
    /// The reference means several attachments, or an attachment without bytes.
    case reference(String)
  }
}
