import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientNodes, runCli } from '../../cli/testing/run-cli.ts'
import { checkout, type Service } from './service.ts'
import { openService } from './shared-service.ts'

let service: Service
let home: string

beforeAll(async () => {
  service = await openService()
  home = await mkdtemp(join(tmpdir(), 'e2e-packed-cli-'))
  await cp(join(checkout, 'examples/sales-report'), join(home, 'sales-report'), { recursive: true })
})
afterAll(async () => {
  await service?.stop()
  await rm(home, { recursive: true })
})

/** The file that the service serves, on that Node, in a folder without the checkout. Rejects unless it exits with 0. */
const commandOn =
  (node: string, file: string) =>
  async (args: string[], stdin = '') => {
    const result = await runCli(args, { home, stdin, program: [node, file] })
    expect(result, args.join(' ')).toMatchObject({ exitCode: 0 })
    return result.stdout
  }

test('the command that the service serves does the main job on other machines', async () => {
  const answer = await fetch(`${service.url}/cli`)
  const file = join(home, 'sandbox')
  await writeFile(file, await answer.bytes())
  const known = { 'if-none-match': answer.headers.get('etag') ?? '' }
  expect((await fetch(`${service.url}/cli`, { headers: known })).status).toBe(304)

  for (const [at, node] of clientNodes.entries()) {
    const sandbox = commandOn(node, file)
    const name = `packed-cli-${Date.now()}-${at}`
    const taskFile = join(home, 'sales-report/task.yaml')
    const text = await readFile(join(checkout, 'examples/sales-report/task.yaml'), 'utf8')
    await writeFile(taskFile, text.replaceAll(/^(name|environment): sales-report/gm, `$1: ${name}`))

    await sandbox(['login', '--url', service.url, '--user', service.user], `${service.password}\n`)
    await sandbox(['env', 'push', 'sales-report', '--name', name])
    expect(await sandbox(['env', 'list'])).toContain(name)
    await sandbox(['task', 'publish', '--file', taskFile])
    const input = ['--input', 'sales-report/input.json']
    const watched = await sandbox(['run', name, '--room', 'daily-numbers', ...input, '--watch'])
    expect(JSON.parse(watched)).toMatchObject({ currency: 'EUR' })
    const runs = JSON.parse(await sandbox(['runs', '--room', 'daily-numbers', '--json']))
    const id = runs.items[0].id
    expect(await sandbox(['logs', id])).toContain('rows')
    await sandbox(['artifacts', 'get', id, '--out', `report-${at}`])
    expect((await stat(join(home, `report-${at}/chart.svg`))).size).toBeGreaterThan(0)
  }
})
