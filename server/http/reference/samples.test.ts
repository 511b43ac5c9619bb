import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Script } from 'node:vm'
import { openApiDocument } from '@sandbox-jobs/contract/openapi/document.ts'
import { expect, test } from 'vitest'
import { packClient } from '../../main/pack-client.ts'
import { type ApiDocument, type Operation, operationsOf } from './browser/api-document.ts'
import { curlSample, type Filled, fetchSample, sdkSample } from './browser/samples.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const operations = operationsOf(openApiDocument({ version: '0.1.0' }) as unknown as ApiDocument)

/** Every field of the form, filled in with its example. */
function filledIn({ parameters, mediaType, example }: Operation): Filled {
  const filled: Filled = { path: {}, query: {}, headers: {}, body: undefined }
  for (const { name, in: place, example: value } of parameters) {
    if (place === 'query') filled.query[name] = [value].flat().map(String)
    else filled[place === 'path' ? 'path' : 'headers'][name] = String(value)
  }
  if (mediaType && example !== undefined && !/multipart|octet/.test(mediaType))
    filled.body = JSON.stringify(example)
  return filled
}
const base = 'https://sandbox.example.com'

test('every sample for the client compiles with the client', async () => {
  const folder = mkdtempSync(join(root, 'client/samples/made-'))
  try {
    for (const [name, operation] of operations) {
      const text = sdkSample(base, operation, filledIn(operation))
      writeFileSync(join(folder, `${name}.ts`), text)
    }
    const client = join(folder, 'node_modules/@sandbox-jobs/client')
    mkdirSync(client, { recursive: true })
    await packClient(root, join(folder, 'client.tgz'))
    await run('tar', ['-xzf', join(folder, 'client.tgz'), '-C', client, '--strip-components=1'])
    const config = { extends: '../../../tsconfig.json', include: ['*.ts'], exclude: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout } = await run(tsc, ['--project', folder]).catch((error: { stdout: string }) => error)
    expect(stdout).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('every sample for a shell is one command, and every other one is a program', async () => {
  for (const operation of operations.values()) {
    const filled = filledIn(operation)
    await run('sh', ['-n', '-c', curlSample(base, operation, filled)])
    expect(() => new Script(`async () => {${fetchSample(base, operation, filled)}}`)).not.toThrow()
  }
})

test('a copy for a shell has the credentials of the reader', () => {
  const operation = operations.get('listOwnChatrooms')
  if (!operation) throw new Error('no operation')
  const filled: Filled = { path: {}, query: {}, headers: {}, body: undefined }
  const curl = (credential?: Filled['credential']) => curlSample(base, operation, { ...filled, credential })
  expect(curl()).toContain('-H "X-Api-Key: $SANDBOX_KEY"')
  expect(curl({ kind: 'key', value: 'sbk_1' })).toContain("-H 'X-Api-Key: sbk_1'")
  expect(curl({ kind: 'login', value: 'a.b.c' })).toContain("-H 'Authorization: Bearer a.b.c'")
})

test('the body to try has what is required, and one field where nothing is', () => {
  const fields = (name: string) => Object.keys(operations.get(name)?.example as object)
  expect(fields('runAndWait')).toEqual(['task_version_id', 'input'])
  expect(fields('updateDepartment')).toHaveLength(1)
})
