import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type { TableCommand } from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import type { TableRow, TableRowList } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { tableCommandRoutes } from '@sandbox-jobs/contract/routes/table-command-routes.ts'
import { tableRoutes } from '@sandbox-jobs/contract/routes/table-routes.ts'
import { tableRowRoutes } from '@sandbox-jobs/contract/routes/table-row-routes.ts'
import type { Principal } from '../../../server/access/principal.ts'
import type { Answer } from '../answer.ts'
import type { CallOptions } from '../caller.ts'
import type { TestApi } from '../test-api.ts'

export const orderFields = [
  { name: 'order_id', type: 'text', required: true },
  { name: 'amount', type: 'number' },
  { name: 'paid', type: 'boolean' },
]

/** Operations on custom tables through the API. */
export class TableSteps {
  readonly #api: TestApi
  #intents = 0

  constructor(api: TestApi) {
    this.#api = api
  }

  /** Calls a route, with a new idempotency key unless `headers` have one. */
  call<Body = Record<string, unknown>>(
    route: Route,
    principal: Principal,
    options: CallOptions = {},
  ): Promise<Answer<Body>> {
    this.#intents += 1
    const key = route.idempotent && { 'idempotency-key': `intent-${this.#intents}` }
    return this.#api.call<Body>(route, principal, { ...options, headers: { ...key, ...options.headers } })
  }

  async must<Body>(route: Route, principal: Principal, options: CallOptions = {}): Promise<Body> {
    const answer = await this.call<Body>(route, principal, options)
    if (answer.status !== 200)
      throw new Error(`${route.method} ${route.path}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  /** A table of a department with the fields of orders. */
  create(
    principal: Principal,
    departmentId: string,
    traits: Record<string, unknown> = {},
  ): Promise<CustomTable> {
    const owner = { owner_scope: 'department', owner_id: departmentId }
    const body = { name: 'orders', fields: orderFields, ...owner, ...traits }
    return this.must(tableRoutes.createTable, principal, { body })
  }

  addRow(
    principal: Principal,
    tableId: string,
    values: Record<string, unknown>,
    traits: Record<string, unknown> = {},
  ): Promise<TableRow> {
    return this.must(tableRowRoutes.createRow, principal, {
      params: { id: tableId },
      body: { values, ...traits },
    })
  }

  async rows(principal: Principal, tableId: string): Promise<TableRow[]> {
    const list = await this.must<TableRowList>(tableRowRoutes.listRows, principal, {
      params: { id: tableId },
      query: { page_size: '100' },
    })
    return list.items
  }

  /** A command that sets the amount of an order, for the company. */
  createCommand(
    principal: Principal,
    table: CustomTable,
    traits: Record<string, unknown> = {},
  ): Promise<TableCommand> {
    const body = {
      name: 'set amount',
      inputs: orderFields.slice(0, 2),
      effect_identity: ['order_id'],
      granted_scope: 'company',
      granted_id: table.company_id,
      ...traits,
    }
    return this.must(tableCommandRoutes.createTableCommand, principal, { params: { id: table.id }, body })
  }
}
