import KeepsakeHTTP
import KeepsakeViewer

/// The page for a person whose request failed.
enum ProblemPage {
  static func answer(_ problem: Problem, in server: ServerState) -> HTTPResponse {
    var answer = Shell(title: problem.title).answer(status: HTTPStatus(problem.status)) { html in
      html.element("h1", text: problem.title)
      html.element("p", text: problem.detail)
      if problem.status != 401 { html.markup("<p><a href=\"/\">All conversations</a></p>") }
    }
    answer.fields.fill(from: problem.fields)
    return answer
  }
}
