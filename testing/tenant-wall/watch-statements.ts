import { relative } from 'node:path'
import { DefaultQueryCompiler } from 'kysely'
import { inject } from 'vitest'
import { missingCompany } from './missing-company.ts'

/*
 * Checks each statement that the program builds in a test and records those that use a tenant table without its
 * company. A tenant table has a column `company_id`. Statements of tests themselves and of migrations are not
 * checked.
 */

const root = new URL('../../', import.meta.url).pathname
const notChecked = /[.]test[.]ts|^(proofs|testing|tools|bench|e2e|server\/db\/migrations)\/|-fixtures?[.]ts/

const tenantTables = new Set(inject('tenantTables'))
const missingOf = new Map<string, string[]>()
let faults: string[] = []

/** The file of the project that builds the current statement. */
function origin(): string {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 50
  const lines = new Error('stack of the caller').stack?.split('\n') ?? []
  Error.stackTraceLimit = limit
  const line = lines.find((at) => at.includes(root) && !/node_modules|watch-statements/.test(at)) ?? ''
  return relative(root, /\/[^\s()]+?[.]ts(:\d+)?/.exec(line.replace('file://', ''))?.[0] ?? root)
}

function check(text: string): void {
  const missing = missingOf.get(text) ?? missingCompany(text, tenantTables)
  missingOf.set(text, missing)
  if (missing.length === 0) return
  const from = origin()
  if (notChecked.test(from)) return
  faults.push(
    `${from} uses ${missing.join(', ')} without company_id. Compare it with the company of the caller; where the statement ` +
      `is for all companies, state the reason with acrossCompanies() of server/db/across-companies.ts.\n${text}`,
  )
}

const compile: DefaultQueryCompiler['compileQuery'] = Reflect.get(
  DefaultQueryCompiler.prototype,
  'compileQuery',
)
DefaultQueryCompiler.prototype.compileQuery = function (node, queryId) {
  const compiled = compile.call(this, node, queryId)
  check(compiled.sql)
  return compiled
}

/** The faults since the last call. */
export function takeFaults(): string[] {
  const found = [...new Set(faults)]
  faults = []
  return found
}
