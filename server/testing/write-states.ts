import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stateMachines } from '@sandbox-jobs/contract/states/index.ts'
import type { StateMachine } from '@sandbox-jobs/contract/states/state-machine.ts'

/** Writes docs/states.md from the tables of moves; with `--check` only says whether it is up to date. */
const path = join(import.meta.dirname, '../../docs/states.md')

const intro = `# States

Made from the tables of moves in \`contract/states\` by \`npm run states\`; do not edit.

Each entity has one state column. It changes only by \`transition\` (\`server/db/transition.ts\`), which moves a row only
along an arrow below and notes the move in \`state_events\` in the same transaction. States in **bold** are final.
`

const titleOf = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`

function sectionOf({ name, initial, terminal, moves }: StateMachine): string {
  const arrows = Object.entries(moves).flatMap(([from, targets]) =>
    targets.map((to) => `  ${from} --> ${to}`),
  )
  const ends = terminal.map((state) => `  ${state} --> [*]`)
  const show = (state: string) => (terminal.includes(state) ? `**${state}**` : state)
  const rows = Object.entries(moves).map(
    ([from, to]) => `| ${show(from)} | ${to.map(show).join(', ') || '—'} |`,
  )
  return [
    `## ${titleOf(name)}`,
    '',
    '```mermaid',
    'stateDiagram-v2',
    `  [*] --> ${initial}`,
    ...arrows,
    ...ends,
    '```',
    '',
    '| From | To |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n')
}

const text = [intro, ...stateMachines.map(sectionOf)].join('\n')

if (process.argv.includes('--check')) {
  if (readFileSync(path, 'utf8') !== text) {
    console.error('docs/states.md is not what contract/states says: npm run states writes it')
    process.exitCode = 1
  }
} else {
  writeFileSync(path, text)
}
