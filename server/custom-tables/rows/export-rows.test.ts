import { expect, it } from 'vitest'
import { TableSteps } from '../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { Downloads } from '../../storage/downloads/downloads.ts'
import type { TableContext } from '../table-context.ts'
import { exportRows } from './export-rows.ts'
import { TableQueries } from './table-queries.ts'

const { db } = await createTestDatabase()
const tables = new TableSteps(new TestApi(db))

it.each(['jsonl', 'csv'] as const)(
  'makes %s in pieces that its company pays for, however large a batch of rows is',
  async (format) => {
    const { departmentManager: manager, departmentId } = await makeTenant(db)
    const { id: tableId } = await tables.create(manager, departmentId)
    for (let row = 0; row < 12; row += 1)
      await tables.addRow(manager, tableId, { order_id: row < 6 ? 'x'.repeat(60_000) : 'small' })
    const spent: [string, number][] = []
    const downloads = new Downloads(testStorage(), {
      spend: async (companyId, ms) => void spent.push([companyId, ms]),
    })
    const context = { db, downloads, queries: new TableQueries(db) } as TableContext & {
      downloads: Downloads
    }
    const { signal } = new AbortController()
    const { body } = await exportRows(context, manager, { tableId, format, filter: undefined, signal })
    const pieces: string[] = []
    for await (const piece of body) pieces.push(String(piece))
    expect(spent).toEqual(pieces.map(() => [manager.companyId, expect.any(Number)]))
    expect(pieces.join('').trimEnd().split('\n')).toHaveLength(format === 'csv' ? 13 : 12)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(130_000)
    expect(pieces.length).toBeLessThan(12)
  },
)
