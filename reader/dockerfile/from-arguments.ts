import type { Instruction } from './grammar/instruction.ts'

/*
 * Variables in FROM: Docker replaces them by the arguments before the first FROM, and by its own arguments of the platform. Here
 * nobody passes other values to a build, and there is one platform.
 */

/** The platform that every build has. */
export const platform = 'linux/amd64'

/** The arguments that Docker defines itself. */
const platformArguments: ReadonlyMap<string, string> = new Map(
  ['BUILD', 'TARGET'].flatMap((machine): [string, string][] => [
    [`${machine}PLATFORM`, platform],
    [`${machine}OS`, 'linux'],
    [`${machine}ARCH`, 'amd64'],
    [`${machine}VARIANT`, ''],
  ]),
)

/** The values of the arguments before the first `FROM`, as far as they are certain. */
export class FromArguments {
  /** Undefined: not certain. */
  readonly #values = new Map<string, string | undefined>(platformArguments)
  #areNamesCertain = true

  /** Takes the values of an `ARG`. */
  add({ rest }: Pick<Instruction, 'rest'>): void {
    for (const word of rest.split(/[\t ]+/)) {
      const [, name, written] = /^(\w+)(?:=(.*))?$/.exec(word) ?? []
      if (name === undefined) this.#areNamesCertain = false
      // An argument without a value keeps the one that it has.
      else if (written !== undefined) this.#values.set(name, this.#valueOf(written))
    }
  }

  /** The text with its variables replaced; undefined if one of them has no certain value. */
  replaceIn(text: string): string | undefined {
    if (!text.includes('$')) return text
    let isCertain = this.#areNamesCertain
    const replaced = text.replace(variable, (_match, plain, braced, fallback) => {
      const value = this.#expanded(plain ?? braced, fallback)
      isCertain &&= value !== undefined
      return value ?? ''
    })
    return isCertain && !replaced.includes('$') ? replaced : undefined
  }

  /** With a fallback, as in `${NAME:-fallback}`, for a name that is unset or empty. */
  #expanded(name: string, fallback: string | undefined): string | undefined {
    const value = this.#values.get(name)
    if (value === undefined && this.#values.has(name)) return undefined
    return value || (fallback ?? value)
  }

  #valueOf(written: string): string | undefined {
    const [, quote, text = ''] = /^(["']?)([^"'\\]*)\1$/.exec(written) ?? []
    if (quote === undefined) return undefined
    return quote === "'" ? text : this.replaceIn(text)
  }
}

const variable = /\$(?:(\w+)|\{(\w+)(?::?-([^{}$]*))?\})/g
