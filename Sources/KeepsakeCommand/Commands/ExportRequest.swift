#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFormats

/// The checked request of an export.
struct ExportRequest {
  let format: Format
  /// The format's name, as it was given.
  let name: String
  let options: ExportOptions
  let mayReplace: Bool
  let isAll: Bool
  /// Whether the export goes to the folder in which an agent looks for its sessions.
  let installs: Bool
  private let operands: [String]
  private let filter: Session.Filter
  private let path: String?

  init(_ arguments: Arguments<ExportCommand>, in context: Context) throws {
    path = arguments.output?.path
    name = arguments.format ?? Self.usualFormat(path, fits: arguments.fit != nil)
    guard let format = Format(named: name) else {
      throw UsageError(message: "There is no format '\(name)'.", command: arguments.command)
    }
    self.format = format
    operands = arguments.sessions
    isAll = arguments.all
    filter = arguments.filters.filter(at: context.now())
    mayReplace = arguments.force
    installs = arguments.install
    var options = ExportOptions(
      artifacts: arguments.artifacts,
      resumption: arguments.fit.map { .init(budget: .tokens($0)) })
    options.folder = arguments.folder
    options.start = arguments.from
    self.options = options
    if let fault = fault(arguments) {
      throw UsageError(message: fault, command: arguments.command)
    }
  }

  /// Returns a message if options contradict each other or the format; otherwise nil.
  private func fault(_ arguments: Arguments<ExportCommand>) -> String? {
    guard format.canWrite || format.givesBack else {
      return "'\(name)' is no format to export to: a \(format.title) is read here, and not written."
    }
    if installs, !format.isForAgents { return words(.noAgent) }
    if installs, path != nil {
      return "'--install' says where it goes, and so does '-o'. Give one of them."
    }
    guard isAll != !operands.isEmpty else {
      return isAll
        ? "'--all' and a SESSION don't go together. Give one of them."
        : "'export' needs SESSION…, or --all."
    }
    if !isAll, let given = arguments.filters.names.first {
      return "'\(given)' chooses among all sessions. Give --all with it."
    }
    if path == nil, !installs, isAll || operands.count > 1, !format.holdsSeveral {
      return "Several sessions go into a folder: name one with -o."
    }
    return options.fault(for: format, isStream: path == nil).map(words)
  }

  /// Describes in terms of options what the format can't do.
  private func words(_ fault: ExportFault) -> String {
    switch fault {
    case .noAgent:
      let agents = Format.all.filter(\.isForAgents).map(\.name).joined(separator: ", ")
      return
        "No agent keeps sessions as '\(name)'. '--install', '--folder' and '--from' are for \(agents)."
    case .artifacts(let artifacts):
      let ways = format.artifacts.map(\.rawValue).joined(separator: " or ")
      return "With '\(name)' artifacts can be \(ways), not \(artifacts.rawValue)."
    case .noPlaceForFiles:
      return "Artifacts as files stand beside a file: name one with -o."
    case .noResumption:
      let others = Format.all.filter { $0.canWrite && $0.resumes }.map(\.name)
      return
        "No model goes on from '\(name)'. '--fit' is for \(others.joined(separator: " and "))."
    }
  }

  /// Returns the format for a file's ending, or for a fitted export; by default it is the complete format.
  private static func usualFormat(_ path: String?, fits: Bool) -> String {
    if fits { return "apple" }
    let ending = path.map { URL(filePath: $0).pathExtension.lowercased() } ?? ""
    let complete = "json"
    if ending == complete || ending.isEmpty { return complete }
    let format = Format.all.first {
      // Formats of agents are left out, because their files have endings that many other files have.
      $0.canWrite && !$0.givesBack && $0.fileExtensions.contains(ending)
    }
    return format?.name ?? complete
  }

  /// Returns the sessions to export; for `--all`, in the order of their updates, with the newest last.
  func sessions(in store: Store) async throws -> [Session] {
    let locator = Locator(store: store)
    var sessions: [Session] = []
    for operand in operands { sessions.append(try await locator.session(operand)) }
    return isAll ? try await Self.all(filter, in: store) : sessions
  }

  /// Returns all sessions that fulfil conditions, in the order of their updates, with the newest last.
  static func all(_ filter: Session.Filter, in store: Store) async throws -> [Session] {
    var sessions: [Session] = []
    var cursor: Session.Cursor?
    repeat {
      let page = try await store.sessions(filter, limit: 1000, after: cursor)
      for summary in page.sessions { sessions.append(try await store.session(summary.id)) }
      cursor = page.next
    } while cursor != nil
    return sessions.reversed()
  }

  /// Returns the URL of the output; nil for standard output. With `--all` the number of sessions makes no difference.
  func url(for sessions: [Session]) -> URL? {
    let needsFolder = (isAll || sessions.count > 1) && !format.holdsSeveral
    return path.map {
      needsFolder ? URL(filePath: $0, directoryHint: .isDirectory) : URL(filePath: $0)
    }
  }
}
