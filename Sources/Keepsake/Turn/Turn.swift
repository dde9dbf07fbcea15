#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A prompt and all that follows it.
///
/// Open one durably before the model is asked, and close it with what happened, so that a turn that failed or that the
/// process did not survive is known. What is recorded meanwhile belongs to it. A prompt that is appended without an open
/// turn begins one by itself; one that only the model sees goes on with the turn before it.
public struct Turn: Sendable, Hashable, Codable, Identifiable {
  /// Counted from 1 in its session.
  public let number: Int
  /// The lane that it belongs to; nil for a turn of all lanes.
  public let lane: String?
  /// When it was opened; of one that a prompt began, when that came to be, and nil where nobody said it.
  public let opened: Date?
  public internal(set) var closed: Date?
  /// nil while it is open; of one whose process ended, until a store finds that out.
  public internal(set) var outcome: Outcome?
  /// What a failure said, or what is unusual of an answer.
  public internal(set) var detail: String?
  /// How often the model was asked.
  public internal(set) var attempts: Int
  /// Whether a prompt began it by itself: nobody opened it, and nobody closes it.
  public let isImplicit: Bool

  public var id: Int { number }

  /// A turn that somebody opened.
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

  /// A turn that a prompt began by itself.
  init(number: Int, lane: String?, begunAt time: Date?) {
    self.number = number
    self.lane = lane
    opened = time
    attempts = 1
    isImplicit = true
  }

  public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
    case answered, failed, cancelled
    /// The process ended before it did.
    case interrupted
    /// The model, or a guardrail, would not answer.
    case refused
  }
}

extension Turn.Outcome: StoredCode { static let cases = allCases }
