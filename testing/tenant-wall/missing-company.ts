import { acrossCompaniesTag } from '../../server/db/across-companies.ts'
import { type ColumnName, columnsIn, comparisonsOf, type Side } from './comparisons.ts'
import { afterGroup, flattened, isQuery, partsOf, type Source, sourcesOf, withoutWith } from './queries.ts'
import { sqlTokens, type Token } from './sql-tokens.ts'

/*
 * Finds the tenant tables that a statement reads or changes without binding their company.
 *
 * A statement is a tree of queries: the main query, those of its `with`, and those in parentheses. In each of them
 * every tenant table has to be bound: its `company_id` is compared with a value, or one of its columns equals one of
 * a bound source: another table of the query, a bound query, a table of an outer query. Two tables that are only
 * compared with each other are not bound.
 *
 * This reads text. It finds forgotten conditions, not deliberate evasion.
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
  /** Whether the rows of each query of `with` are bound. */
  readonly #named = new Map<string, boolean>()

  constructor(tenantTables: ReadonlySet<string>) {
    this.#tenantTables = tenantTables
  }

  /**
   * True when the rows of the query belong to bound companies. `outer` has the sources of the outer queries,
   * innermost first.
   */
  read(tokens: Token[], outer: readonly Source[]): boolean {
    const { named, body } = withoutWith(tokens)
    for (const [name, query] of named) {
      // A recursive query is as bound as its first part.
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
    // Twice: a bound source may bind a query in parentheses, and such a query may bind a table.
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

/** Marks bound sources until a pass finds no further one. */
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
  const comparisons = comparisonsOf(tokens.slice(conditionsStart(tokens)))
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

/** The `set` of an update is not a condition. */
function conditionsStart(tokens: readonly Token[]): number {
  if (tokens[0] !== 'update') return 0
  const at = tokens.findIndex((token) => token === 'from' || token === 'where')
  return at < 0 ? tokens.length : at
}

/** `using (a, b)` compares the columns of the preceding table with those of earlier tables. */
function bindUsing(tokens: readonly Token[], sources: Source[]): void {
  for (const [at, token] of tokens.entries()) {
    if (token !== 'using' || tokens[at + 1] !== '(') continue
    const columns = columnsIn(tokens.slice(at + 1, afterGroup(tokens, at + 1))).map(({ column }) => column)
    const before = sources.filter((source) => source.at < at)
    const bindsCompany = columns.includes('company_id') && before.some(({ isTable }) => !isTable)
    if (!bindsCompany && !before.some(({ bound }) => bound)) continue
    for (const source of before) source.bound = true
  }
}
