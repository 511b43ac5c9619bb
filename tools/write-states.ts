import { stateMachines } from '@sandbox-jobs/contract/states/index.ts'
import type { StateMachine } from '@sandbox-jobs/contract/states/state-machine.ts'
import { writeDocument } from './generated-document.ts'

/** Writes docs/states.md from the transition tables; with `--check` only reports whether it is up to date. */
const intro = `# States

Made from the transition tables in \`contract/states\` by \`npm run states\`; do not edit.

Each entity has one state column. It changes only by \`transition\` (\`server/db/transition.ts\`), which moves a row only
along an arrow below and records the transition in \`state_events\` in the same transaction. States in **bold** are final.
`

const titleOf = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`

function sectionOf({ name, initial, terminal, transitions }: StateMachine): string {
  const arrows = Object.entries(transitions).flatMap(([from, targets]) =>
    targets.map((to) => `  ${from} --> ${to}`),
  )
  const ends = terminal.map((state) => `  ${state} --> [*]`)
  const show = (state: string) => (terminal.includes(state) ? `**${state}**` : state)
  const rows = Object.entries(transitions).map(
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

writeDocument('states.md', text, { source: 'contract/states', command: 'npm run states' })
