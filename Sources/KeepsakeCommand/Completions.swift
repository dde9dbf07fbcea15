/// Completions for shells, made from the declarations.
struct Completions {
  let declarations: [Declaration]

  private static let leading = Declaration.Option.common.map(\.name) + ["--version"]

  /// Without a word of ours, bash completes files: most operands are some.
  var bash: String {
    let names = declarations.map(\.name) + ["help"] + Self.leading
    var values = ""
    var options = ""
    for declaration in declarations {
      for option in declaration.allOptions where !option.choices.isEmpty {
        values += """
              '\(declaration.name) \(option.name)') words='\(option.choices.joined(separator: " "))' ;;

          """
      }
      let words = declaration.allOptions.flatMap { [$0.name] + ($0.short.map { [$0] } ?? []) }
      options += "\(declaration.name)) words='\(words.joined(separator: " "))' ;;\n"
    }
    return """
      # bash completions for keepsake
      _keepsake() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command='' words='' i
        for ((i = 1; i < COMP_CWORD; i++)); do
          case ${COMP_WORDS[i]} in
            --store) ((i++)) ;;
            -*) ;;
            *) command=${COMP_WORDS[i]}; break ;;
          esac
        done
        case "$command $prev" in
          *' --store' | *' --output' | *' -o') ;;
      \(values)    *)
            case $command in
              '') words='\(names.joined(separator: " "))' ;;
      \(options.indented(by: "        "))      esac
            [[ -n $command && $cur != -* ]] && words=''
            ;;
        esac
        COMPREPLY=()
        [[ -z $words ]] || COMPREPLY=($(compgen -W "$words" -- "$cur"))
      }
      complete -o default -F _keepsake keepsake

      """
  }

  var zsh: String {
    let commands = declarations.map {
      "    \(Self.quoted("\($0.name):\($0.summary)"))\n"
    }.joined()
    let cases = declarations.map { declaration in
      let options = declaration.allOptions.map { option in
        let help = Self.escapingBrackets(option.help)
        let repeats = option.repeats ? "*" : ""
        let value = option.value.map { name in
          ":\(name):"
            + (option.choices.isEmpty ? "_files" : "(\(option.choices.joined(separator: " ")))")
        }
        return Self.quoted("\(repeats)\(option.name)[\(help)]\(value ?? "")")
      }
      return
        "    \(declaration.name)) _arguments \(options.joined(separator: " ")) '*:file:_files' ;;\n"
    }.joined()
    return """
      #compdef keepsake
      # zsh completions for keepsake
      _keepsake() {
        local -a commands=(
      \(commands)  )
        if ((CURRENT == 2)); then
          _describe command commands
          return
        fi
        local command=$words[2]
        shift words
        ((CURRENT--))
        case $command in
      \(cases)  esac
      }
      _keepsake "$@"

      """
  }

  var fish: String {
    var text = "# fish completions for keepsake\n"
    for declaration in declarations {
      text +=
        "complete -c keepsake -n __fish_use_subcommand -f -a \(declaration.name) -d \(Self.quotedForFish(declaration.summary))\n"
      for option in declaration.allOptions {
        text +=
          "complete -c keepsake -n '__fish_seen_subcommand_from \(declaration.name)' -l \(option.name.dropFirst(2))"
        if let short = option.short { text += " -s \(short.dropFirst())" }
        if option.value != nil { text += option.choices.isEmpty ? " -r" : " -x" }
        if !option.choices.isEmpty { text += " -a '\(option.choices.joined(separator: " "))'" }
        text += " -d \(Self.quotedForFish(option.help))\n"
      }
    }
    return text
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: #"'\''"#))'"
  }

  private static func quotedForFish(_ text: String) -> String {
    "'\(text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#))'"
  }

  private static func escapingBrackets(_ text: String) -> String {
    text.replacing("[", with: #"\["#).replacing("]", with: #"\]"#).replacing(":", with: #"\:"#)
  }
}

extension String {
  fileprivate func indented(by margin: String) -> String {
    split(separator: "\n").map { "\(margin)\($0)\n" }.joined()
  }
}
