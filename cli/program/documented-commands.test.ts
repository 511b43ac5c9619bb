import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { clientCommands } from '../commands/client-commands.ts'
import { machineCommands } from '../commands/machine-commands.ts'
import { addCommands } from './command-table.ts'

const pages = join(import.meta.dirname, '../../docs/operations')

/** Command lines of a page: in backticks, or a line of an indented or fenced block. */
const linesOf = (text: string): string[] =>
  [...text.matchAll(/(?:`|^ *(?:SANDBOX_\w+=\S+ )?)(?:\.\/)?sandbox ([a-z][^`\n]*)/gm)].map(
    ([, line = '']) => line.split(/ +#/)[0] ?? '',
  )

/** The words of a command line that its program does not know: a command, a subcommand or an option. */
function unknownWords(program: Command, line: string): string[] {
  let command = program
  const words = line.split(/\s+/)
  while (command.commands.length > 0 && words.length > 0) {
    const next = command.commands.find((known) => known.name() === words[0])
    if (next === undefined) return words.slice(0, 1)
    command = next
    words.shift()
  }
  const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0])
  return options.filter(
    (word) => word !== '--help' && !command.options.some(({ long }) => long === word),
  ) as string[]
}

test('each command on the pages about operations exists, with its options', async () => {
  const program = new Command('sandbox')
  await addCommands(program, { ...clientCommands, ...machineCommands })
  expect(unknownWords(program, 'operator keys rotated')).toEqual(['rotated'])
  expect(unknownWords(program, 'up --roles api')).toEqual(['--roles'])
  const names = (await readdir(pages)).filter((name) => name.endsWith('.md'))
  const faults: string[] = []
  let lines = 0
  for (const name of names) {
    for (const line of linesOf(await readFile(join(pages, name), 'utf8'))) {
      lines += 1
      faults.push(...unknownWords(program, line).map((word) => `${name}: sandbox ${line}: ${word}`))
    }
  }
  expect(faults).toEqual([])
  expect(lines).toBeGreaterThan(50)
})
