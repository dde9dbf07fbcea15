#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What of a session goes out to a model, and what was left out, replaced and repaired on the way.
///
/// The entries are values of their own: what is stored stays as it is. An entry that was recorded keeps its position;
/// one that was put in has none. Each entry of the session is either here or in the notes as left out.
public struct Resumption: Sendable {
  public let entries: [Entry]
  /// What was done, in the order of positions; what concerns no entry comes first.
  public let notes: [Note]
  /// What the entries come to, by the counter that fitted them; nil where there was no budget.
  public let tokens: Int?

  /// Something that was done on the way out, or that was noticed.
  public struct Note: Sendable, Hashable {
    /// Of the entry that it is about; nil for the list as a whole.
    public let position: Int?
    public let action: Action
    public let reason: Reason
  }

  public enum Action: String, Sendable, Hashable, Codable, CaseIterable {
    /// The entry does not go out.
    case leftOut
    /// The entry goes out with something else in the place of what it held.
    case replaced
    /// Something was put in, or moved, that the list lacked.
    case repaired
    /// Nothing was done about it.
    case noticed
  }

  public enum Reason: Sendable, Hashable {
    /// It is for the person, and for no model.
    case hidden
    /// It happened beside the conversation.
    case event
    /// The conversation went back to before it.
    case takenBack
    /// It belongs to another lane.
    case lane(String)
    /// It did not come to its end, or another attempt took its place.
    case status(Entry.Status)
    /// Its turn came to nothing.
    case turn(Turn.Outcome)
    case erased
    /// It did not fit into the budget; whole turns go, the oldest first.
    case overBudget
    /// It did not fit into the budget; a summary stands for its turn.
    case condensed
    /// It answers a call that was left out.
    case withItsCall
    /// It answers no call that is there.
    case outputWithoutCall
    /// No output answers the call with this id.
    case callWithoutOutput(String)
    /// Another turn begins, and nothing answered this prompt.
    case promptWithoutAnswer
    /// The list does not begin with instructions.
    case noInstructions
    /// The turn with this number was opened and never closed.
    case openTurn(Int)
    /// A draft that a crash interrupted, which became no entry.
    case interruptedDraft(UUID)
    /// Words stand for the image with this label.
    case image(String)
    /// This reference means several attachments, or one that has no bytes.
    case reference(String)
  }
}
