import type { Command } from 'commander'

type Load = () => Promise<Command>

/** A command that only groups subcommands. */
interface Group {
  description: string
  commands: Commands
}

/** Commands by name. Each is loaded only when it is used. */
export interface Commands {
  [word: string]: Load | Group
}

const showsTopAlone = /^(-h|--help|-V|--version)$/

/**
 * Adds every command, or only the one that `words` name: each loads its own part of the program. Help shows of a group only its
 * own line, so that its commands are not loaded for it.
 */
export async function addCommands(
  parent: Command,
  choice: Commands,
  [word = '', ...words]: string[] = [],
): Promise<void> {
  const isNamed = Object.hasOwn(choice, word)
  for (const name of isNamed ? [word] : Object.keys(choice)) {
    const next = choice[name] as Load | Group
    if (typeof next === 'function') {
      parent.addCommand(await next())
    } else {
      const group = parent.command(name).description(next.description)
      if (words.length === 0 && showsTopAlone.test(word)) continue
      await addCommands(group, next.commands, isNamed ? words : [])
    }
  }
}
