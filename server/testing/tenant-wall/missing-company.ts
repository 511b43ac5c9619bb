import { acrossCompaniesTag } from '../../db/across-companies.ts'
import { type ColumnName, columnsIn, comparisonsOf, type Side } from './comparisons.ts'
import { afterGroup, flattened, isQuery, partsOf, type Source, sourcesOf, withoutWith } from './queries.ts'
import { sqlTokens, type Token } from './sql-tokens.ts'

/*
 * Says which tenant tables a statement reads or changes without binding their company.
 *
 * A statement is a tree of queries: its own, those of its `with`, and those in parentheses. In each of them every tenant
 * table has to be bound: its `company_id` is compared with a value, or a column of it equals one of something that is
 * bound: another table of the query, a query that is bound, a table of a query around it. Two tables that are compared
 * with each other alone are not bound.
 *
 * This reads text. It finds what was forgotten, not what was written to get by.
 */

/** Names of the tenant tables that a statement uses without their company; none when the statement is declared. */
export function missingCompany(text: string, tenantTables: ReadonlySet<string>): string[] {
  if (text.includes(acrossCompaniesTag)) return []
  const reader = new Reader(tenantTables)
  reader.read(sqlTokens(text), [])
  return [...reader.missing]
}

class Reader {
  readonly missing = new Set<string>()
  readonly #tenantTables: ReadonlySet<string>
  /** Whether what the queries of `with` answer is bound. */
  readonly #named = new Map<string, boolean>()

  constructor(tenantTables: ReadonlySet<string>) {
    this.#tenantTables = tenantTables
  }

  /** True when what the query answers is of bound companies. `outer` has the sources of the queries around it, nearest first. */
  read(tokens: Token[], outer: readonly Source[]): boolean {
    const { named, body } = withoutWith(tokens)
    for (const [name, query] of named) {
      // One that reads itself is as bound as what it begins with.
      this.#named.set(name, true)
      this.#named.set(name, this.read(query, outer))
    }
    const parts = partsOf(body).map((part) => this.#readPart(part, outer))
    return parts.every(Boolean)
  }

  #readPart(part: Token[], outer: readonly Source[]): boolean {
    const tokens = flattened(part)
    const sources = sourcesOf(tokens, this.#named)
    const boundQueries = new Set<Token>()
    const bind = () => bindAll(tokens, sources, outer, boundQueries)
    // Twice: what is bound may bind a query in parentheses, and such a query may bind a table.
    bind()
    for (const token of tokens) {
      if (!isQuery(token) || !this.read(token, [...sources, ...outer])) continue
      boundQueries.add(token)
      for (const source of sources) if (source.query === token) source.bound = true
    }
    bind()
    for (const { name, isTable, bound } of sources)
      if (isTable && !bound && this.#tenantTables.has(name)) this.missing.add(name)
    return part[0] === 'insert' || sources.some(({ bound }) => bound)
  }
}

/** Marks what is bound, until nothing more is. */
function bindAll(
  tokens: readonly Token[],
  sources: Source[],
  outer: readonly Source[],
  boundQueries: ReadonlySet<Token>,
): void {
  const find = ({ alias }: ColumnName): Source | undefined =>
    alias === undefined
      ? (sources.find(({ isTable }) => isTable) ?? sources[0])
      : [...sources, ...outer].find((source) => source.alias === alias)
  const local = (source: Source | undefined) => source !== undefined && sources.includes(source)
  const bindSide = (side: Side, other: Side) => {
    const others = other.columns.map(find)
    const withBound = others.some((source) => source?.bound) || boundQueries.has(other.query ?? '')
    const withTable = others.some((source) => local(source) && source?.isTable)
    for (const name of side.columns) {
      const source = find(name)
      if (source && (withBound || (isCompany(name, source) && !withTable))) source.bound = true
    }
  }
  const comparisons = comparisonsOf(tokens.slice(conditionsBegin(tokens)))
  const count = () => sources.filter(({ bound }) => bound).length
  let before = -1
  while (before !== count()) {
    before = count()
    for (const [left, right] of comparisons) {
      bindSide(left, right)
      bindSide(right, left)
    }
    bindUsing(tokens, sources)
  }
}

const isCompany = ({ column }: ColumnName, { name }: Source): boolean =>
  column === 'company_id' || (name === 'companies' && column === 'id')

/** What an update sets is no condition. */
function conditionsBegin(tokens: readonly Token[]): number {
  if (tokens[0] !== 'update') return 0
  const at = tokens.findIndex((token) => token === 'from' || token === 'where')
  return at < 0 ? tokens.length : at
}

/** `using (a, b)` compares the columns of the table before it with those of the tables that came earlier. */
function bindUsing(tokens: readonly Token[], sources: Source[]): void {
  for (const [at, token] of tokens.entries()) {
    if (token !== 'using' || tokens[at + 1] !== '(') continue
    const columns = columnsIn(tokens.slice(at + 1, afterGroup(tokens, at + 1))).map(({ column }) => column)
    const before = sources.filter((source) => source.at < at)
    const given = columns.includes('company_id') && before.some(({ isTable }) => !isTable)
    if (!given && !before.some(({ bound }) => bound)) continue
    for (const source of before) source.bound = true
  }
}
