export interface Words {
  /** The command with those before it, such as `sandbox env push`. */
  path: string
  commands: { name: string; description: string }[]
  options: { name: string; description: string; takesValue: boolean; choices: readonly string[] }[]
}

/** Our own texts, as one word of a shell. Quotes and backslashes have different rules in each, so they are left out. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\\n]/g, ' ')}'`

/**
 * Bash and zsh find the command that is typed by adding words as long as the longer path is known. A value of an option is
 * completed from its choices, or as a file.
 */
const casesOf = (all: Words[], answer: (words: Words) => string): string =>
  all.map((words) => `    ${quoted(words.path)}) ${answer(words)} ;;`).join('\n')

const choicesOf = (all: Words[]): string =>
  all
    .flatMap(({ path, options }) =>
      options
        .filter(({ choices }) => choices.length > 0)
        .map(
          ({ name, choices }) => `    ${quoted(`${path} ${name}`)}) words=${quoted(choices.join(' '))} ;;`,
        ),
    )
    .join('\n')

const known = (all: Words[]): string => all.map(({ path }) => quoted(path)).join('|')

const valued = (all: Words[]): string =>
  all
    .flatMap(({ path, options }) =>
      options.filter(({ takesValue }) => takesValue).map(({ name }) => quoted(`${path} ${name}`)),
    )
    .join('|')

export const bashCompletion = (all: Words[]): string => `# bash completion of sandbox
_sandbox() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path=sandbox words='' at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$path \${COMP_WORDS[at]}" in
    ${known(all)}) path="$path \${COMP_WORDS[at]}" ;;
    esac
  done
  case "$path $previous" in
${choicesOf(all)}
    ${valued(all)}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  if [ -z "$words" ]; then
    case "$path" in
${casesOf(all, ({ commands, options }) => `words=${quoted([...commands, ...options].map(({ name }) => name).join(' '))}`)}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _sandbox sandbox
`

const described = ({ name, description }: { name: string; description: string }): string =>
  quoted(`${name}:${description.replaceAll(':', ' ')}`)

export const zshCompletion = (all: Words[]): string => `#compdef sandbox
# zsh completion of sandbox
_sandbox() {
  local path_=sandbox words_='' at
  local -a found
  for ((at = 2; at < CURRENT; at++)); do
    case "$path_ \${words[at]}" in
    ${known(all)}) path_="$path_ \${words[at]}" ;;
    esac
  done
  case "$path_ \${words[CURRENT-1]}" in
${choicesOf(all).replaceAll('words=', 'words_=')}
    ${valued(all)}) _files; return ;;
  esac
  if [ -n "$words_" ]; then
    compadd -- \${=words_}
    return
  fi
  case "$path_" in
${casesOf(all, ({ commands, options }) => `found=(${[...commands, ...options].map(described).join(' ')})`)}
  esac
  _describe -t words sandbox found || _files
}
if [ "$funcstack[1]" = _sandbox ]; then _sandbox "$@"; else compdef _sandbox sandbox; fi
`

/** Fish asks for each word on its own: it is offered where the words before it are exactly the command's. */
export function fishCompletion(all: Words[]): string {
  const lines = all.flatMap(({ path, commands, options }) => {
    const when = `-n ${quoted(`__sandbox_at ${path}`)}`
    return [
      ...commands.map(
        ({ name, description }) => `complete -c sandbox -f ${when} -a ${name} -d ${quoted(description)}`,
      ),
      ...options.map(({ name, description, takesValue, choices }) => {
        const value = takesValue ? (choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ' -r') : ''
        return `complete -c sandbox ${when} -l ${name.slice('--'.length)}${value} -d ${quoted(description)}`
      }),
    ]
  })
  return `# fish completion of sandbox
function __sandbox_at
  set -l path sandbox
  set -l known ${all.map(({ path }) => quoted(path)).join(' ')}
  for word in (commandline -opc)[2..]
    contains -- "$path $word" $known; and set path "$path $word"
  end
  test "$path" = "$argv"
end
${lines.join('\n')}
`
}
