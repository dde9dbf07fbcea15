#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One run of a tool, or of the app's own generator, recorded when it starts.
public struct Invocation: Sendable, Hashable, Codable, Identifiable {
  public let id: UUID
  public let session: UUID
  public let turn: Int?
  public let maker: Maker
  /// The tool's name, or the step's.
  public let name: String
  public let description: Description
  public let started: Date
  public internal(set) var ended: Date?
  public internal(set) var outcome: Outcome?
  /// What an error said, or why it was cancelled.
  public internal(set) var detail: String?
  public internal(set) var output: String?
  /// The tool call that asked for it, once that is known.
  public internal(set) var call: Entry.Attachment.CallReference?
  public internal(set) var callID: String?
  /// How it is known that the call asked for it; nil while it is not.
  public internal(set) var basis: Entry.Attachment.Basis?

  /// The tool call that asked for it, to be appended where nobody else says it: the run belongs to it for certain.
  public var toolCall: Entry.ToolCall {
    Entry.ToolCall(
      id: callID ?? Self.callID(of: id), tool: name, arguments: description.arguments ?? "{}")
  }

  static func callID(of id: UUID) -> String { id.uuidString.lowercased() }

  public enum Maker: String, Sendable, Hashable, Codable, CaseIterable {
    case tool, step
  }

  public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
    case finished, failed, cancelled
    /// The process ended before it did.
    case interrupted
  }

  /// What ran, and with what.
  public struct Description: Sendable, Hashable, Codable {
    /// JSON by convention, kept to the letter.
    public var arguments: String?
    /// The type or program behind the name.
    public var implementation: String?
    public var version: String?
    public var model: String?
    /// Settings that no argument names: seed, size, style.
    public var parameters: String?

    public init(
      arguments: String? = nil, implementation: String? = nil, version: String? = nil,
      model: String? = nil, parameters: String? = nil
    ) {
      self.arguments = arguments
      self.implementation = implementation
      self.version = version
      self.model = model
      self.parameters = parameters
    }
  }
}

extension Invocation.Maker: StoredCode { static let cases = allCases }
extension Invocation.Outcome: StoredCode { static let cases = allCases }

extension Invocation {
  /// The same run without what may be long: its arguments and its output.
  package var withoutTexts: Invocation {
    var description = description
    description.arguments = nil
    return Invocation(
      id: id, session: session, turn: turn, maker: maker, name: name, description: description,
      started: started, ended: ended, outcome: outcome, detail: detail, call: call, callID: callID,
      basis: basis)
  }
}
