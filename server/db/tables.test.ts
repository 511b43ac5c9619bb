import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/* The types of the tables are written by hand. docs/schema.sql is what Postgres has (`testing/database/schema-text.test.ts`). */

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Column {
  /** The type that a read returns: of TypeScript, `document`, or another name for either. */
  type: string
  isNullable: boolean
  /** Whether an insert may leave it out. */
  isOptional: boolean
}
type Columns = Map<string, Column>

/** The types that a read returns, by the type of Postgres. */
const readAs: Record<string, string> = {
  ...{ text: 'string', bytea: 'Buffer', boolean: 'boolean', date: 'string', xid8: 'string' },
  ...{ bigint: 'number', integer: 'number', 'timestamp with time zone': 'Date' },
  ...{ json: 'document', jsonb: 'document' },
}

/** By table, from the lines `name type[] default ... not null`; an expression may take several lines. */
function columnsInDatabase(): Map<string, Columns> {
  const tables = read('docs/schema.sql').matchAll(/^create (?:unlogged )?table (\w+) \(\n(.*?)^\)/gms)
  const line = /^ {2}(?!constraint )"?(\w+)"? (\w+)(?:\(\d\))?( with time zone)?(\[\])?(.*?),?$/gm
  return new Map(
    Array.from(tables, ([, table = '', body = '']) => {
      const columns = body.replaceAll(/\n(?! {2}["\w])/g, ' ').matchAll(line)
      const found = Array.from(columns, ([, name = '', plain = '', zone = '', array = '', rest = '']) => {
        const isNullable = !rest.endsWith(' not null')
        const isOptional = isNullable || /^ (?:default|generated) /.test(rest)
        return [name, { type: `${readAs[plain + zone]}${array}`, isNullable, isOptional }] as const
      })
      return [table, new Map(found)]
    }),
  )
}

/** By table, from the interfaces, which may extend another one or omit some of its columns. */
function columnsInTypes(): Map<string, Columns> {
  const source = globSync('server/db/tables/*.ts', { cwd: root }).map(read).join('\n')
  const interfaces = source.matchAll(/^export interface (\w+Table)(?: extends (.*?))? \{(.*?)\}$/gms)
  const types = new Map<string, Columns>()
  for (const [, name = '', base = '', body = ''] of interfaces) {
    const inherited = [...(types.get(/\w+Table/.exec(base)?.[0] ?? '') ?? [])]
    const lines = body.matchAll(/^ {2}(\w+): (.*)$/gm)
    const own = Array.from(lines, ([, column = '', type = '']) => [column, typed(type)] as const)
    types.set(name, new Map([...inherited.filter(([column]) => !base.includes(`'${column}'`)), ...own]))
  }
  const names = read('server/db/tables.ts').matchAll(/^ {2}(\w+): \w+\.(\w+)$/gm)
  return new Map(Array.from(names, ([, table = '', type = '']) => [table, types.get(type) ?? new Map()]))
}

function typed(text: string): Column {
  const [, generated] = /^Generated(?:Always)?<(.*)>$/.exec(text) ?? []
  const whole = generated ?? text
  const isNullable = / \| null\b/.test(whole)
  const type = whole
    .replaceAll(' | null', '')
    .replace(/^'.*'$/, 'string')
    .replace(/^\('.*'\)\[\]$/, 'string[]')
  return { type, isNullable, isOptional: isNullable || generated !== undefined }
}

/** Types that stand for themselves; every other name is one of texts or of a document. */
const plainTypes = new Set(['string', 'string[]', 'number', 'boolean', 'Date', 'Buffer'])
const mayBe = (written: string, found: string) =>
  plainTypes.has(written) ? written === found : found === 'string' || found === 'document'

/** Columns that a trigger fills. */
const filled = new Set(['operator_acts.sequence', 'operator_acts.hash'])

const inDatabase = columnsInDatabase()
const inTypes = columnsInTypes()

test('every type of a table has the columns of the table, with their types, nulls and defaults', () => {
  const faults: string[] = []
  for (const [table, types] of inTypes) {
    const columns: Columns = inDatabase.get(table) ?? new Map()
    for (const name of new Set([...columns.keys(), ...types.keys()])) {
      const [column, type] = [columns.get(name), types.get(name)]
      const isTrue =
        column &&
        type &&
        mayBe(type.type, column.type) &&
        type.isNullable === column.isNullable &&
        (column.isOptional || !type.isOptional || filled.has(`${table}.${name}`))
      if (!isTrue)
        faults.push(
          `${table}.${name}: ${JSON.stringify(type)} in the types, ${JSON.stringify(column)} in the database`,
        )
    }
  }
  expect(faults).toEqual([])
})

/** The properties of the row types of a file's statements: written inline, or interfaces that a statement names. */
function rowProperties(source: string): { of: string; name: string; type: Column }[] {
  const named = new Set(
    Array.from(
      source.matchAll(/\b(?:sql|prepared)<([^;`]*?)>[`(]/gs),
      ([, types = '']) => types.match(/\w+/g) ?? [],
    ).flat(),
  )
  const bodies = source.matchAll(/(?:interface (\w+)[^{\n]*|\b(?:sql|prepared)<)\{(.*?)\n?\}/gs)
  return Array.from(bodies).flatMap(([, of = 'inline', body = '']) => {
    if (of !== 'inline' && !named.has(of)) return []
    const properties = body.matchAll(/(?:^|[;\n])\s*(\w+): ([^;\n]+)/g)
    return Array.from(properties, ([, name = '', type = '']) => ({ of, name, type: typed(type.trim()) }))
  })
}

const isNamedIn = (source: string, table: string) =>
  new RegExp(`\\b(?:from|join|update|into) ${table}\\b|(?:From|Into|Table|Join)\\('${table}\\b`).test(source)

test('a row type of a statement in SQL reads a column with its type and its null', () => {
  const faults: string[] = []
  let compared = 0
  for (const file of globSync('server/**/*.ts', { cwd: root })) {
    const source = read(file)
    if (file.endsWith('.test.ts') || !/\b(?:sql|prepared)</.test(source)) continue
    const tables = [...inDatabase].filter(([table]) => isNamedIn(source, table)).map(([, columns]) => columns)
    for (const { of, name, type } of rowProperties(source)) {
      const columns = tables.flatMap((each) => each.get(name) ?? [])
      if (columns.length === 0 || type.type === 'unknown') continue
      compared += 1
      const isTrue = columns.some(
        (column) => mayBe(type.type, column.type) && (type.isNullable || !column.isNullable),
      )
      if (!isTrue) faults.push(`${file}: ${of}.${name}`)
    }
  }
  expect(faults).toEqual([])
  expect(compared).toBeGreaterThan(100)
})

test('every table and type of a column is read', () => {
  const tables = read('docs/schema.sql').match(/^create (?:unlogged )?table /gm) ?? []
  expect(inDatabase.size).toBe(tables.length)
  for (const [table, columns] of [...inDatabase, ...inTypes]) expect(columns.size, table).toBeGreaterThan(0)
  const types = [...inDatabase.values()].flatMap((columns) => [...columns.values()].map(({ type }) => type))
  expect(types.filter((type) => type.startsWith('undefined'))).toEqual([])
})
