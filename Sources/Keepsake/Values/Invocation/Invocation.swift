#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A run of a tool, or of a step of the app, which is recorded when it starts.
public struct Invocation: Sendable, Hashable, Codable, Identifiable {
  public let id: UUID
  public let session: UUID
  public let turn: Int?
  public let maker: Maker
  /// The name of the tool or the step.
  public let name: String
  public let description: Description
  public let started: Date
  public internal(set) var ended: Date?
  public internal(set) var outcome: Outcome?
  /// The message of an error, or the reason for a cancellation; nil for neither.
  public internal(set) var detail: String?
  public internal(set) var output: String?
  /// The tool call that asked for the run; nil while it is not known.
  public internal(set) var call: Entry.Attachment.CallReference?
  public internal(set) var callID: String?
  /// The basis of the claim that the call asked for the run; nil while the call is not known.
  public internal(set) var basis: Entry.Attachment.Basis?

  /// A tool call for the run, which an app appends if no framework does. The run then belongs to it for certain.
  public var toolCall: Entry.ToolCall {
    Entry.ToolCall(
      id: callID ?? Self.callID(of: id), tool: name, arguments: description.arguments ?? "{}")
  }

  static func callID(of id: UUID) -> String { id.text }

  public enum Maker: String, Sendable, Hashable, Codable, CaseIterable {
    case tool, step
  }

  public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
    case finished, failed, cancelled
    /// The process ended before the run did.
    case interrupted
  }

  /// The description of a run: its arguments, and what ran with which parameters.
  public struct Description: Sendable, Hashable, Codable {
    /// The arguments, which are JSON by convention, and are kept to the letter.
    public var arguments: String?
    /// The type or the program that ran.
    public var implementation: String?
    public var version: String?
    public var model: String?
    /// Settings that are not among the arguments, such as a seed, a size or a style.
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
  /// The run without the texts that may be long, which are its arguments and its output.
  package var withoutTexts: Invocation {
    var description = description
    description.arguments = nil
    return Invocation(
      id: id, session: session, turn: turn, maker: maker, name: name, description: description,
      started: started, ended: ended, outcome: outcome, detail: detail, call: call, callID: callID,
      basis: basis)
  }
}
