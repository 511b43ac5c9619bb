import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settings } from '../base/config/config.ts'
import { exitCodes } from './supervisor/service-problem.ts'

const read = (page: string) => readFile(join(import.meta.dirname, '../../docs/operations', page), 'utf8')

test('the page of settings lists every setting and no others', async () => {
  const listed = [...(await read('settings.md')).matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, name]) => name)
  expect(listed).toEqual(Object.values(settings).map((setting) => setting.env))
})

test('the page about start and stop lists every exit code', async () => {
  const listed = [...(await read('start.md')).matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code))
  expect(listed).toEqual(Object.values(exitCodes))
})
