/*
 * The triggers of docs/schema.sql as a list by table. Those of one function and condition are one line: Postgres has one trigger for
 * each kind of change where it is to see the changed rows together.
 */

interface Trigger {
  table: string
  time: string
  /** `insert`, `update of state`. */
  changes: string[]
  each: string
  condition: string
  call: string
}

const form =
  /^CREATE TRIGGER \S+ (?<time>BEFORE|AFTER) (?<changes>.+?) ON (?<table>\S+)(?: REFERENCING .+?)? FOR EACH (?<each>ROW|STATEMENT)(?: WHEN \((?<condition>.*)\))? EXECUTE FUNCTION (?<call>.+);$/
const kinds = ['insert', 'update', 'delete', 'truncate']

function parseTrigger(line: string): Trigger {
  const found = form.exec(line)?.groups
  if (!found) throw new Error(`a trigger in another form: ${line}`)
  const { time = '', changes = '', table = '', each = '', condition = 'true', call = '' } = found
  return {
    table,
    time: time.toLowerCase(),
    changes: changes
      .split(' OR ')
      .map((change) => change.replaceAll(/[A-Z]+/g, (word) => word.toLowerCase())),
    each: each.toLowerCase(),
    condition: condition === 'true' ? '' : condition,
    call,
  }
}

const codeOf = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``

const kindOf = (change: string): number => kinds.findIndex((kind) => change.startsWith(kind))

/** Of triggers that differ only in the kind of change. */
function renderRow(same: readonly Trigger[]): string {
  const [first] = same
  if (!first) return ''
  const { time, each, condition, call } = first
  const changes = same.flatMap((trigger) => trigger.changes).toSorted((a, b) => kindOf(a) - kindOf(b))
  const when = `${time} ${new Intl.ListFormat('en', { type: 'disjunction' }).format(changes)}, each ${each}`
  return `| ${when}${condition && `, when ${codeOf(condition)}`} | ${codeOf(call)} |`
}

function renderTable(table: string, triggers: readonly Trigger[]): string {
  const rows = Map.groupBy(triggers, ({ time, each, condition, call }) =>
    [time, each, condition, call].join(' '),
  )
  return [
    `## ${table}`,
    '',
    '| When | Function |',
    '|---|---|',
    ...[...rows.values()].map(renderRow),
    '',
  ].join('\n')
}

/** A section of Markdown for each table that has triggers. */
export function renderTriggers(schema: string): string[] {
  const triggers = schema
    .split('\n')
    .filter((line) => line.startsWith('CREATE TRIGGER'))
    .map(parseTrigger)
  return [...Map.groupBy(triggers, ({ table }) => table)].map(([table, own]) => renderTable(table, own))
}
