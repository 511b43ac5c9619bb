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

/** Adds every command, or only the one that `words` name: each loads its own part of the program. */
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
      await addCommands(group, next.commands, isNamed ? words : [])
    }
  }
}
