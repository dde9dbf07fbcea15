import Keepsake
import KeepsakeViewer

/// The forks of a conversation, and the conversation that it was forked from, to go from one to another.
struct Branches {
  private struct Branch {
    let name: String
    let address: String
    let isCurrent: Bool
  }

  private let branches: [Branch]

  init(of session: Session, _ summary: Session.Summary) async throws {
    var branches: [Branch] = []
    if let parent = summary.forkOf, let position = summary.forkPosition {
      branches.append(
        Branch(
          name: "forked at entry \(position)",
          address: Address.session(parent, at: max(0, position - 1)),
          isCurrent: false))
      branches.append(
        Branch(name: "this one", address: Address.session(summary.id), isCurrent: true))
    }
    for fork in try await session.forks().prefix(20) {
      if branches.isEmpty {
        branches.append(
          Branch(name: "this one", address: Address.session(summary.id), isCurrent: true))
      }
      let position = fork.forkPosition ?? 0
      branches.append(
        Branch(
          name: "\(fork.name ?? "a fork") – from entry \(position)",
          address: Address.session(fork.id, at: position), isCurrent: false))
    }
    self.branches = branches
  }

  func write(to html: inout HTML) {
    if branches.isEmpty { return }
    html.markup("<nav class=\"branches\" aria-label=\"Branches\">")
    for branch in branches {
      html.element(
        "a",
        ["href": branch.address, "aria-current": branch.isCurrent ? "true" : nil, "dir": "auto"],
        text: Phrase.excerpt(branch.name, limit: 80))
    }
    html.markup("</nav>")
  }
}
