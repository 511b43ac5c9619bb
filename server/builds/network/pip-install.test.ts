import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { demoWheelName, pipWheel, simpleIndex } from '../../../testing/registry/demo-wheel.ts'
import { PullBench } from '../../../testing/registry/pull-bench.ts'

/*
 * `RUN pip install` under pip's own defaults: its index and its file host are servers of the tests' own internet under their
 * usual names, which are read from pip itself.
 */

const { db } = await createTestDatabase()
let bench: PullBench
let companyId: string
let folder: string
let pip: Buffer
let index: string
let fileHost: string

beforeAll(async () => {
  const wheel = await pipWheel()
  pip = wheel.content
  const program = `
import sys
sys.path.insert(0, ${JSON.stringify(wheel.path)})
from pip._internal.models.index import PyPI
print(PyPI.netloc, PyPI.file_storage_domain)
`
  const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', program])
  ;[index = '', fileHost = ''] = stdout.trim().split(' ')
  bench = await PullBench.start(db, [], { publicNames: { [index]: '9.9.9.30', [fileHost]: '9.9.9.31' } })
  companyId = (await makeTenant(db)).companyId
  folder = await mkdtemp(join(tmpdir(), 'package-hosts-'))
})
afterAll(async () => {
  await bench?.dispose()
  await rm(folder, { recursive: true })
})

/** Builds with pip from the context. */
async function install(packageHosts: string[]) {
  const packageHostsFile = join(folder, 'hosts')
  await writeFile(packageHostsFile, packageHosts.join('\n'))
  const fileAddress = `https://${fileHost}/packages/${demoWheelName}`
  await bench.registry.replace(simpleIndex('', { fileAddress }))
  const options = '--disable-pip-version-check --retries 0 --timeout 5 --cert /ca.pem --target /app'
  const lines = [
    'FROM curated/tiny-python:1',
    'COPY pip.whl ca.pem /',
    `RUN python3 /pip.whl/pip install ${options} demo`,
    'RUN PYTHONPATH=/app python3 -m demo',
  ]
  return await bench.build(lines, {
    companyId,
    files: [
      { name: 'pip.whl', content: pip },
      { name: 'ca.pem', content: await readFile(bench.registry.authority) },
    ],
    network: { buildNetwork: 'packages', packageHostsFile, buildEgressCapBytes: 1024 ** 2 },
  })
}

test('pip installs a package with its own defaults when its hosts are listed', async () => {
  const { failure, log, outputs } = await install([index, fileHost])
  expect(failure, log).toBe('')
  expect(log).toContain('demo works')
  expect(new Set(outputs.reach?.reached.map(({ name, port }) => `${name} ${port}`))).toEqual(
    new Set([`${index} 443`, `${fileHost} 443`]),
  )
})

test('a host that is not listed is refused, and the log names it', async () => {
  const { failure, log } = await install([index])
  expect(failure).toBe('dockerfile_exit line_3')
  expect(log).toContain(`  ${fileHost} (name_not_in_allow_list), `)
})
