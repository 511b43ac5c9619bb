import { Argument, Command } from 'commander'
import { addCommands, type Commands } from './command-table.ts'
import { bashCompletion, fishCompletion, type Words, zshCompletion } from './completion-scripts.ts'

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

/** `completion SHELL`: prints a script that completes the commands of the table and their options. */
export const completionCommand = (table: Commands): Command =>
  new Command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .option('--json', 'print the commands and their options as one JSON document')
    .addHelpText(
      'after',
      `
Examples:
  sandbox completion bash > ~/.local/share/bash-completion/completions/sandbox
  sandbox completion zsh > ~/.zfunc/_sandbox      # with fpath+=~/.zfunc before compinit
  sandbox completion fish > ~/.config/fish/completions/sandbox.fish`,
    )
    .action(async (shell: keyof typeof scripts, { json }: { json?: boolean }) => {
      const program = new Command('sandbox')
      await addCommands(program, { ...table, completion: async () => completionCommand(table) })
      const words = wordsOf(program, 'sandbox')
      process.stdout.write(json ? `${JSON.stringify({ commands: words }, null, 2)}\n` : scripts[shell](words))
    })

/** The words that may follow each command, from the top. */
function wordsOf(command: Command, path: string): Words[] {
  const own: Words = {
    path,
    commands: command.commands.map((child) => ({ name: child.name(), description: child.description() })),
    options: [
      ...command.options.map(({ long, description, required, argChoices = [] }) => ({
        name: long ?? '',
        description,
        takesValue: required,
        choices: argChoices,
      })),
      { name: '--help', description: 'display help', takesValue: false, choices: [] },
    ],
  }
  return [own, ...command.commands.flatMap((child) => wordsOf(child, `${path} ${child.name()}`))]
}
