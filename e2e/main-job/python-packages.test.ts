import { afterAll, beforeAll, expect, test } from 'vitest'
import { Author } from '../presets/author.ts'
import { packageExamples } from '../presets/expected.ts'
import { PackageServer } from '../presets/package-server.ts'
import { pythonSource } from '../presets/package-sources.ts'
import { type OwnService, startService } from './service.ts'

/* The example that installs packages with pip, on the preset that install/test-builder.sh makes. */

let packages: PackageServer
let service: OwnService
let author: Author

beforeAll(async () => {
  packages = await PackageServer.start(78, { pypi: pythonSource })
  service = await startService()
  await service.sandbox('operator', 'mirror', 'add', 'pypi', `${packages.addressOf('pypi')}/simple`)
  author = await Author.logIn(service)
})
afterAll(async () => {
  await author?.dispose()
  await service?.stop()
  await packages?.dispose()
})

test('an environment with packages of pip is built and runs', async () => {
  await author.fromExample('python-packages', 'python-packages', 'curated/python:3.13')
  expect(await author.deployAndRun('python-packages')).toEqual(packageExamples.python?.output)
})

test('an author sees the base images of the operator', async () => {
  const bases = await author.command(['bases'])
  expect(bases).toMatch(/^curated\/python:3\.13 +python 3\.13\.\d+ +trixie +\d+ MiB /m)
  expect(bases).toMatch(/^Other names without a host are pulled from /m)
})
