import { expect, it } from 'vitest'
import { TableSteps } from '../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import type { TableContext } from '../table-context.ts'
import { exportRows } from './export-rows.ts'
import { TableQueries } from './table-queries.ts'

const { db } = await createTestDatabase()
const tables = new TableSteps(new TestApi(db))

it.each(['jsonl', 'csv'] as const)('makes %s in pieces, however large a batch of rows is', async (format) => {
  const { departmentManager: manager, departmentId } = await makeTenant(db)
  const { id: tableId } = await tables.create(manager, departmentId)
  for (let row = 0; row < 12; row += 1)
    await tables.addRow(manager, tableId, { order_id: row < 6 ? 'x'.repeat(60_000) : 'small' })
  const context = { db, queries: new TableQueries(db) } as TableContext
  const { body } = await exportRows(context, manager, { tableId, format, filter: undefined })
  const pieces: string[] = []
  for await (const piece of body) pieces.push(String(piece))
  expect(pieces.join('').trimEnd().split('\n')).toHaveLength(format === 'csv' ? 13 : 12)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(130_000)
  expect(pieces.length).toBeLessThan(12)
})
