import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settings } from '../base/config/config.ts'
import { exitCodes } from './supervisor/service-problem.ts'

const read = () => readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')

test('the operations page lists every setting and no others', async () => {
  const listed = [...(await read()).matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name)
  expect(listed).toEqual(Object.values(settings).map((setting) => setting.env))
})

test('the operations page lists every exit code', async () => {
  const listed = [...(await read()).matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code))
  expect(listed).toEqual(Object.values(exitCodes))
})
