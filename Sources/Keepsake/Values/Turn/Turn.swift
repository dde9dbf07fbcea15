#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A prompt and all that follows it.
///
/// Open a turn before the model is asked, and close it with its outcome. A turn that failed, or that the process did
/// not survive, is then known. What is recorded while the turn is open belongs to it. A prompt that is appended without
/// an open turn begins a turn by itself, unless only the model sees it: then it belongs to the turn before.
public struct Turn: Sendable, Hashable, Codable, Identifiable {
  /// The number of the turn, counted from 1 in its session.
  public let number: Int
  /// The lane that the turn belongs to; nil for a turn of all lanes.
  public let lane: String?
  /// The time when the turn was opened. For a turn that a prompt began, this is the prompt's time, or nil if that is
  /// unknown.
  public let opened: Date?
  public internal(set) var closed: Date?
  /// The outcome; nil while the turn is open.
  ///
  /// For a turn whose process ended, this is nil until a store notices that.
  public internal(set) var outcome: Outcome?
  /// The message of a failure, or a remark on an unusual answer; nil for neither.
  public internal(set) var detail: String?
  /// The number of times that the model was asked.
  public internal(set) var attempts: Int
  /// Tells whether a prompt began the turn by itself, so that nobody opens or closes it.
  public let isImplicit: Bool

  public var id: Int { number }

  /// Creates a turn that was opened.
  init(
    number: Int, lane: String?, opened: Date, closed: Date? = nil, outcome: Outcome? = nil,
    detail: String? = nil, attempts: Int = 1
  ) {
    self.number = number
    self.lane = lane
    self.opened = opened
    self.closed = closed
    self.outcome = outcome
    self.detail = detail
    self.attempts = attempts
    isImplicit = false
  }

  /// Creates a turn that a prompt began by itself.
  init(number: Int, lane: String?, begunAt time: Date?) {
    self.number = number
    self.lane = lane
    opened = time
    attempts = 1
    isImplicit = true
  }

  public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
    case answered, failed, cancelled
    /// The process ended before the turn was closed.
    case interrupted
    /// The model, or a guardrail, refused to answer.
    case refused
  }
}

extension Turn.Outcome: StoredCode { static let cases = allCases }
