#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Finds the artifacts that ADK's events say they saved, in the folders of ADK's file service beside the imported
/// file.
struct ADKArtifacts {
  private let session: ADKSession
  private let assets: AssetFolder?

  init(_ session: ADKSession, _ assets: AssetFolder?) {
    self.session = session
    self.assets = assets
  }

  /// Returns the entries of an event together with the artifacts that the event saved.
  ///
  /// The artifacts are attached to the output of a tool that the event holds, else to the event's last entry.
  func attached(to entries: [SourceEntry], by event: JSONObject, in record: inout RecordReader)
    -> [SourceEntry]
  {
    guard let actions = event.object("actions"),
      let saved = GeminiParts.member(actions, "artifactDelta")
        .flatMap({ JSONObject($0, in: record.bytes) }), !saved.members.isEmpty
    else { return entries }
    var entries = entries
    let outputs = entries.indices.filter { entries[$0].entry.kind == .toolOutput }
    let maker = maker(entries, outputs, author: event.string("author"))
    let contents = saved.members.map { name, version in
      attach(
        name, version: JSONText.value(version, in: record.bytes)?.text ?? "", madeBy: maker,
        in: &record)
    }
    var bearer = Entry(.event, segments: contents.map { Entry.Segment($0) }, created: nil)
    bearer.visibility = .person
    let borne = record.finish(bearer)
    guard let place = outputs.first ?? entries.indices.last else { return [borne] }
    entries[place].attachments += borne.attachments
    return entries
  }

  /// The maker of an event's artifacts: the tool call whose output stands alone in the event.
  ///
  /// Where an event holds several outputs, nothing says which call saved the artifacts, so the source is their maker.
  private func maker(_ entries: [SourceEntry], _ outputs: [Int], author: String?) -> Entry.MadeBy {
    if outputs.count == 1, let id = entries[outputs[0]].entry.callID {
      return .toolCall(.init(id: id, tool: entries[outputs[0]].entry.tool ?? ""))
    }
    if !outputs.isEmpty { return .source }
    return author == "user" ? .user : .response
  }

  private func attach(
    _ name: String, version: String, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> Entry.Segment.Content {
    let file = assets?.file(at: path(of: name, version: version))
    if let file {
      return record.attach(file, mediaType: nil, fileName: nil, madeBy: maker)
    }
    return record.attach(missing: "\(name)@\(version)", mediaType: nil, madeBy: maker)
  }

  private static let userScope = "user:"

  /// Where ADK's file service keeps a version of an artifact. A name with the prefix `user:` belongs to all sessions
  /// of a user.
  private func path(of name: String, version: String) -> [String] {
    let isUsers = name.hasPrefix(Self.userScope)
    let plain = isUsers ? String(name.dropFirst(Self.userScope.count)) : name
    let names = plain.split(separator: "/").map(String.init)
    let scope = isUsers ? [] : ["sessions", session.id]
    return ["apps", session.app, "users", session.user] + scope + ["artifacts"] + names
      + ["versions", version] + names.suffix(1)
  }
}
