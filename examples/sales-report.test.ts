import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const folder = join(import.meta.dirname, 'sales-report')
let work: string

beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'sales-report-'))
})
afterEach(() => rmSync(work, { recursive: true }))

const example = (): unknown => JSON.parse(readFileSync(join(folder, 'input.json'), 'utf8'))
const row = { date: '2026-01-31', region: 'North', product: 'Tea', quantity: 2, unit_price: 1.5 }

function report(input: unknown) {
  writeFileSync(join(work, 'input.json'), JSON.stringify(input))
  const run = spawnSync('python3', ['-B', join(folder, 'sales_report.py')], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH ?? '',
      SERVICE_INPUTS_FILE: join(work, 'input.json'),
      SERVICE_OUTPUT_FILE: join(work, 'output.json'),
      SERVICE_ARTIFACTS_DIR: work,
    },
  })
  return { status: run.status, log: run.stdout + run.stderr }
}

const artifact = (name: string): string => readFileSync(join(work, name), 'utf8')
const output = (): unknown => JSON.parse(artifact('output.json'))

test('the example input yields consistent totals, a chart and a table', () => {
  expect(report(example())).toMatchObject({ status: 0, log: expect.stringContaining('200 rows') })
  const summary = output() as { total: string; rows: number; by_region: object; by_month: object }
  expect(summary.rows).toBe(200)
  const cents = (amounts: object) =>
    Object.values(amounts).reduce((sum: number, amount) => sum + Math.round(Number(amount) * 100), 0)
  expect(cents(summary.by_region)).toBe(Math.round(Number(summary.total) * 100))
  expect(cents(summary.by_month)).toBe(cents(summary.by_region))
  expect(artifact('chart.svg')).toMatch(/^<svg .*<\/svg>\n$/s)
  expect(artifact('by-month.csv').split('\r\n')).toHaveLength(Object.keys(summary.by_month).length + 2)
})

test('amounts are decimals, and equal products are ranked by name', () => {
  const tenth = { ...row, unit_price: 0.1, quantity: 3 }
  expect(report({ rows: [tenth, { ...tenth, product: 'Ale' }] }).status).toBe(0)
  expect(output()).toMatchObject({ total: '0.60', best_product: { name: 'Ale', total: '0.30' } })
})

test('invalid rows are listed in the log and cause exit code 3', () => {
  const wrong = [row, { ...row, date: '2026-02-30' }, { ...row, region: ' ' }, { date: '2026-01-01' }]
  const { status, log } = report({ rows: wrong })
  expect(status).toBe(3)
  expect(log).toMatch(/3 of the rows are wrong/)
  expect(log).toMatch(/row 2: .*day.*\n.*row 3: region is empty\n.*row 4: quantity is missing/)
  expect(readdirSync(work)).toEqual(['input.json'])
})

test('names are escaped in the chart', () => {
  expect(report({ title: '</text><script>', rows: [{ ...row, region: '<script>' }] }).status).toBe(0)
  expect(artifact('chart.svg')).not.toContain('<script>')
})
